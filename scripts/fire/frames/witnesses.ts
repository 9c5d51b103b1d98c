import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import { ask, type Person } from '../support/people.ts'

const everyMs = 40
const patienceMs = 10_000

/** People in one house who go on talking, and hear each other. */
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
  const sockets = await Promise.all(people.map((person) => listen(origin, person)))
  const sent: string[] = []
  let slowestMs = 0
  let isOver = false

  async function talk(): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      const started = performance.now()
      const { id } = await ask(
        origin,
        people[turn % people.length]!.token,
        'POST',
        `/rooms/${house.rooms[0].id}/messages`,
        {
          content: `message ${turn}`,
        },
      )
      sent.push(id)
      const all = () =>
        sockets.every((socket) => socket.heard.length >= sent.length || socket.closed !== undefined)
      while (!all() && performance.now() - started < patienceMs) await pause(2)
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
      const findings = sockets.flatMap(({ heard, closed }) => {
        if (closed !== undefined) return [`another socket was closed with ${closed}`]
        return heard.join() === sent.join()
          ? []
          : [`another socket heard ${heard.length} of ${sent.length} messages`]
      })
      for (const { socket } of sockets) socket.terminate()
      return {
        messages: sent.length,
        slowestMs,
        findings: failure === undefined ? findings : [failure, ...findings],
      }
    },
  }
}

async function listen(origin: string, { token }: Person) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/socket`)
  const state = { socket, heard: [] as string[], closed: undefined as number | undefined }
  socket.on('error', () => {})
  socket.on('close', (code) => {
    state.closed = code
  })
  const ready = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data))
      if (frame.e === 'MESSAGE_CREATE') state.heard.push(frame.d.id)
      if (frame.e === 'HOUSE_JOIN') resolve()
    })
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ op: 2, d: { token } }))
  await ready
  return state
}
