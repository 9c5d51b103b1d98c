import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../src/ids.ts'
import { residentMb } from '../bench/processes.ts'
import { type Forked, startForked } from '../forked.ts'
import { percentile } from '../percentile.ts'
import type { Attack, Toll } from './flood/attacker.ts'
import { begin, type Seen } from './flood/innocents.ts'
import { BrokenPromise, type Figures, type Part } from './part.ts'
import { grown } from './support/own-delay.ts'
import { addPerson, ask, type Person } from './support/people.ts'
import { openStage, type Stage } from './support/stage.ts'

const attacker = join(import.meta.dirname, 'flood/attacker.ts')

const attackMs = { quick: 1_200, long: 20_000 }
/** Headers that dribble are waited for ten seconds, looked at every two. */
const headersWithinMs = 14_000
/** How long the others are watched once the attacks are over. */
const afterwardsMs = 500
const attackers = 100
const innocents = 6

/** What the innocent may suffer. */
const maxMedianMs = 1_000
const minServed = 0.5
const maxResidentMb = 700

/** Each attack, its sockets, and how much longer than others it goes on; the first goes on beside all others. */
const attacks: [Attack['kind'], number, number][] = [
  ['slow headers', 500, 1],
  ['idle sockets', 2_000, 1],
  ['slow bodies', 800, 1],
  ['login guessing', 100, 1],
  ['one user', 64, 1],
  ['many users', 1_500, 3],
  ['slow readers', 50, 1],
]

/** Attackers and guests stand for users of many addresses. */
const limits = { RATE_LIMIT: 'on', RATE_LIMIT_ADDRESS_USERS: '999999/s burst 999999' }

export const flood: Part = {
  name: 'flood',
  promise: 'who floods the server, or is slow with it, does not keep it from serving the others',
  async run({ quick, minutes }) {
    const forMs = minutes === null ? attackMs[quick ? 'quick' : 'long'] : (minutes * 60_000) / attacks.length
    const stage = await openStage()
    const figures: Figures = {}
    const running: Forked[] = []
    let guests: ReturnType<typeof begin> | undefined
    try {
      const server = await stage.startServer(limits)
      const { room, people, tokens } = await settle(stage, server.origin)
      guests = begin(server.port, people, room)
      // 0 once it has ended, which is told below.
      const residentNow = () => residentMb(server.child).then(Math.round, () => 0)
      await pause(forMs)
      figures.before = describe(guests.take(), await residentNow())
      const began = performance.now()
      let beside: Forked | undefined
      for (const [kind, sockets, times] of attacks) {
        const attack = startForked(attacker)
        running.push(attack)
        beside ??= attack
        await attack.ask<Toll>({ kind, sockets, port: server.port, tokens, room } satisfies Attack)
        await pause(forMs * times)
        const toll = await attack.ask<Toll>('count')
        const seen = guests.take()
        const resident = await residentNow()
        figures[kind] =
          `${describe(seen, resident)}; the attacker got ${JSON.stringify(toll.answers)}, sent ${Math.round(toll.sentBytes / 1_000)} kB, held ${toll.open} connections`
        if (attack !== beside) await attack.leave()
        const wrong = judge(kind, seen, resident)
        if (server.child.exitCode !== null)
          throw new BrokenPromise(`the server has ended: ${server.output()}`)
        if (wrong !== undefined) throw new BrokenPromise(wrong, figures)
        if (toll.connected < sockets / 2 || toll.sentBytes === 0)
          throw new BrokenPromise(`${kind}: the attack did not come`, figures)
      }
      await pause(afterwardsMs)
      let { open } = await beside!.ask<Toll>('count')
      while (open > 0 && performance.now() < began + grown(headersWithinMs)) {
        await pause(afterwardsMs)
        open = (await beside!.ask<Toll>('count')).open
      }
      await guests.stop()
      const [seen, resident] = [guests.take(), await residentNow()]
      figures.afterwards = describe(seen, resident)
      const wrong = judge('afterwards', seen, resident)
      if (wrong !== undefined) throw new BrokenPromise(wrong, figures)
      if (open > 0) throw new BrokenPromise(`${open} connections with slow headers are still open`, figures)
      return figures
    } finally {
      void guests?.stop()
      await Promise.all(running.map((attack) => attack.leave()))
      await stage.close()
    }
  },
}

/** A room with big messages, people who use it, and the tokens of accounts that attackers have. */
async function settle(stage: Stage, origin: string) {
  const people: Person[] = []
  for (let n = 0; n < innocents; n += 1) people.push(await addPerson(stage.db))
  const house = await ask(origin, people[0]!.token, 'POST', '/houses', { name: 'Den' })
  const bad = await Promise.all(Array.from({ length: attackers }, () => addPerson(stage.db)))
  const members = [...people.slice(1), ...bad].map(({ id }) => ({ house_id: house.id, user_id: id }))
  await stage.db.insertInto('members').values(members).execute()
  const room = house.rooms[0].id as string
  const content = 'x'.repeat(2_000)
  const author = people[0]!
  const messages = Array.from({ length: 100 }, () => {
    return {
      room_id: room,
      house_id: house.id as string,
      id: newId(),
      author_id: author.id,
      device_id: author.session_id,
      content,
    }
  })
  await stage.db.insertInto('messages').values(messages).execute()
  return { room, people, tokens: bad.map(({ token }) => token) }
}

function judge(kind: string, seen: readonly Seen[], resident: number): string | undefined {
  const served = seen.filter(({ status }) => status === 200)
  const odd = seen.find(({ status }) => ![200, 429, 503, 'waits'].includes(status))
  if (seen.length === 0) return `${kind}: nobody else asked for anything`
  if (odd) return `${kind}: somebody else was answered ${odd.status}`
  if (served.length < seen.length * minServed) return `${kind}: most requests of the others were refused`
  const half = msAt(seen.filter(isServedOrWaits), 0.5)
  if (half > grown(maxMedianMs)) return `${kind}: half the requests of the others took more than ${half} ms`
  if (resident > maxResidentMb) return `${kind}: the server has grown to ${resident} MB`
  return undefined
}

function describe(seen: readonly Seen[], resident: number): string {
  const served = seen.filter(({ status }) => status === 200)
  const timed = seen.filter(isServedOrWaits)
  const [half, most] = [msAt(timed, 0.5), msAt(timed, 0.99)]
  return `${served.length} of ${seen.length} served, p50 ${half} ms, p99 ${most} ms, ${resident} MB`
}

/** Who waits has waited for so long at least. */
function isServedOrWaits({ status }: Seen): boolean {
  return status === 200 || status === 'waits'
}

function msAt(seen: readonly Seen[], part: number): number {
  const times = seen.map(({ ms }) => ms)
  return Math.round(percentile(times, part))
}
