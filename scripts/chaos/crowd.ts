import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../test/support/server.ts'
import { startForked } from '../forked.ts'
import type { Heard, Order } from './crowd/listeners.ts'
import { BrokenPromise, type Figures, type Part } from './part.ts'
import { takeSample } from './soak/samples.ts'
import { addPerson, ask, type Person } from './support/people.ts'
import { openStage, type Stage } from './support/stage.ts'

const listenersFile = join(import.meta.dirname, 'crowd/listeners.ts')
const collectFile = join(import.meta.dirname, '../bench/collect.js')

const sizes = {
  quick: { inHouse: 100, messages: 50, idle: 300, idleMs: 0 },
  long: { inHouse: 1_000, messages: 1_000, idle: 10_000, idleMs: 5_000 },
}
const processes = 2
const sendersAtOnce = 16
const hearWithinMs = 60_000
const goneWithinMs = 30_000
const collectMs = 2_000
/** More heap in use than before, once all sockets are closed, is a leak. */
const maxLeftMb = 16

export const crowd: Part = {
  name: 'crowd',
  promise:
    'everybody in a crowded house hears every message once and in order, thousands of idle sockets are held, and no memory is kept',
  mostlyWaits: true,
  async run({ quick }) {
    const { inHouse, messages, idle, idleMs } = sizes[quick ? 'quick' : 'long']
    const stage = await openStage()
    const figures: Figures = { 'sockets in the house': inHouse, messages, 'idle sockets': idle }
    try {
      const server = await stage.startServer({ NODE_OPTIONS: `--import=${collectFile}` })
      const owner = await addPerson(stage.db)
      const house = await ask(server.origin, owner.token, 'POST', '/houses', { name: 'Den' })
      const members = await addPeople(stage, inHouse)
      const rows = members.map(({ id }) => ({ house_id: house.id, user_id: id }))
      await stage.db.insertInto('members').values(rows).execute()
      await withSockets(stage, server, members, figures, 'in the house', async (hear) => {
        const wanted = inHouse * messages
        const began = performance.now()
        await sendAll(server.origin, owner, house.rooms[0].id, messages)
        const deadline = performance.now() + hearWithinMs
        let heard = await hear()
        while (heard < wanted && performance.now() < deadline) {
          await pause(50)
          heard = await hear()
        }
        const perSecond = Math.round((heard * 1_000) / (performance.now() - began))
        figures['messages heard'] = `${heard} of ${wanted}, ${perSecond}/s`
        if (heard !== wanted) throw new BrokenPromise('messages were not heard, or twice', figures)
      })
      await withSockets(stage, server, await addPeople(stage, idle), figures, 'idle', () => pause(idleMs))
      return figures
    } finally {
      await stage.close()
    }
  },
}

async function addPeople(stage: Stage, count: number): Promise<Person[]> {
  return Promise.all(Array.from({ length: count }, () => addPerson(stage.db)))
}

async function sendAll(origin: string, author: Person, room: string, count: number): Promise<void> {
  let left = count
  const send = async () => {
    while (left-- > 0) {
      const body = { content: `message ${left}` }
      await ask(origin, author.token, 'POST', `/rooms/${room}/messages`, body)
    }
  }
  await Promise.all(Array.from({ length: sendersAtOnce }, send))
}

/** Logs everybody in from processes of their own, does something, and looks at what is left once all have gone. */
async function withSockets(
  stage: Stage,
  server: Server,
  people: Person[],
  figures: Figures,
  what: string,
  act: (hear: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const beforeMb = await heapMb(stage, server)
  const shares = Array.from({ length: processes }, (_, n) =>
    people.filter((_one, at) => at % processes === n),
  )
  const listening = shares.map((share) => listen({ origin: server.origin, people: share }))
  const hear = async () => {
    const heard = await Promise.all(listening.map((one) => one.hear()))
    const findings = heard.flatMap((one) => one.findings)
    if (findings.length > 0) throw new BrokenPromise(findings.join('\n  '), figures)
    return heard.reduce((sum, one) => sum + one.messages, 0)
  }
  try {
    await hear()
    await act(hear)
    await hear()
    const { sockets } = await takeSample(stage, server)
    if (sockets !== people.length)
      throw new BrokenPromise(`${sockets} of ${people.length} sockets were held`, figures)
  } finally {
    await Promise.all(listening.map((one) => one.leave()))
  }
  const deadline = performance.now() + goneWithinMs
  let { sockets } = await takeSample(stage, server)
  for (; sockets > 0 && performance.now() < deadline; { sockets } = await takeSample(stage, server))
    await pause(50)
  if (sockets > 0) throw new BrokenPromise(`${sockets} sockets stayed after all had gone`, figures)
  const leftMb = Math.round((await heapMb(stage, server)) - beforeMb)
  figures[`heap kept of them, ${what}`] = `${leftMb} MB`
  if (leftMb > maxLeftMb) throw new BrokenPromise(`${leftMb} MB of heap were kept`, figures)
}

/** A process with listeners. */
function listen(order: Order) {
  const { tell, ask, leave } = startForked(listenersFile)
  tell(order)
  return { hear: () => ask<Heard>('count'), leave }
}

/** The heap in use after a garbage collection. */
async function heapMb(stage: Stage, server: Server): Promise<number> {
  server.child.kill('SIGUSR2')
  await pause(collectMs)
  return (await takeSample(stage, server)).heapMb
}
