import { setTimeout as pause } from 'node:timers/promises'
import { Listener } from '../support/listener.ts'
import { ask, type Person } from '../support/people.ts'

const everyMs = 40
const patienceMs = 10_000

/** Members of one house who keep sending messages and check that they receive those of the others. */
export type Witnesses = {
  house_id: string
  /** Stops the talk; says what came too late, or not at all. */
  end(): Promise<{ messages: number; slowestMs: number; findings: string[] }>
}

/** The first makes a house, the others join, and all talk and listen from now on, as clients do. */
export async function watch(origin: string, people: readonly Person[]): Promise<Witnesses> {
  const [host, ...guests] = people
  const house = await ask(origin, host!.token, 'POST', '/houses', { name: 'Witnesses' })
  const { code } = await ask(origin, host!.token, 'POST', `/houses/${house.id}/invites`, {})
  for (const guest of guests) await ask(origin, guest.token, 'POST', `/invites/${code}`)
  const room = house.rooms[0].id as string
  const listeners = people.map((person) => new Listener(origin, person))
  await Promise.all(listeners.map((listener) => listener.logIn()))
  const sent: string[] = []
  let slowestMs = 0
  let isOver = false

  async function talk(): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      const started = performance.now()
      const { token } = people[turn % people.length]!
      const body = { content: `message ${turn}` }
      const { id } = await ask(origin, token, 'POST', `/rooms/${room}/messages`, body)
      sent.push(id)
      const hasAll = ({ heard, findings }: Listener) =>
        (heard.get(room)?.length ?? 0) >= sent.length || findings.length > 0
      while (!listeners.every(hasAll) && performance.now() - started < patienceMs) await pause(2)
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - started))
      await pause(everyMs)
    }
  }

  const talking = talk().then(
    () => undefined,
    (error: Error) => error.message,
  )
  return {
    house_id: house.id,
    async end() {
      isOver = true
      const failure = await talking
      const findings = listeners.flatMap(({ heard, findings }) => {
        if (findings.length > 0) return findings.map((finding) => `another: ${finding}`)
        const ids = heard.get(room) ?? []
        return ids.join() === sent.join()
          ? []
          : [`another socket heard ${ids.length} of ${sent.length} messages`]
      })
      for (const listener of listeners) listener.cut()
      return {
        messages: sent.length,
        slowestMs,
        findings: failure === undefined ? findings : [failure, ...findings],
      }
    },
  }
}
