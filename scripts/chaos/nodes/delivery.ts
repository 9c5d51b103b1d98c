import type { Server } from '../../../test/support/server.ts'
import { median } from '../../percentile.ts'
import { addPerson, ask, type Person } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'
import type { Cluster } from './cluster.ts'
import { need } from './insist.ts'
import { Watcher } from './watcher.ts'

/** Sent before anything is measured: the first ones compile code, and make the processes known to each other. */
const warmUp = 20

/** What the delivery of messages costs: ms from the request to the event, and CPU ms of a message. */
export type Delivery = {
  aloneMs: number
  elsewhereMs: number
  cpuOfSenderMs: number
  cpuWithoutReadersMs: number
}

/**
 * Measures the delivery at one process alone, starts the others, and measures it from one process to another, while a
 * third has no readers. One message at a time.
 */
export async function measureDelivery(stage: Stage, cluster: Cluster, messages: number): Promise<Delivery> {
  const author = await addPerson(stage.db)
  const first = cluster.servers[0]!
  const house = await ask(first.origin, author.token, 'POST', '/houses', { name: 'Measured' })
  const send = (reader: Watcher, count: number) => sendInTurn(first, author, house.rooms[0].id, reader, count)

  const near = await logIn(first, author)
  await send(near, warmUp)
  const aloneMs = median(await send(near, messages))
  near.close()

  await cluster.startAll()
  const [, second, third] = cluster.servers as [Server, Server, Server]
  const far = await logIn(second, author)
  await send(far, warmUp)
  const before = await Promise.all([cpuMs(first), cpuMs(third)])
  const elsewhereMs = median(await send(far, messages))
  const after = await Promise.all([cpuMs(first), cpuMs(third)])
  far.close()
  return {
    aloneMs,
    elsewhereMs,
    cpuOfSenderMs: (after[0] - before[0]) / messages,
    cpuWithoutReadersMs: (after[1] - before[1]) / messages,
  }
}

async function logIn({ origin }: Server, person: Person): Promise<Watcher> {
  const watcher = new Watcher(origin, person)
  await need('a login', () => watcher.isReady)
  return watcher
}

/** The times from the request to the event, in ms. */
async function sendInTurn(server: Server, author: Person, room: string, reader: Watcher, count: number) {
  const times: number[] = []
  for (let number = 0; number < count; number += 1) {
    const content = `measured ${number}`
    const received = new Promise<void>((resolve) => {
      reader.onMessage = (each) => each === content && resolve()
    })
    const began = performance.now()
    const answered = ask(server.origin, author.token, 'POST', `/rooms/${room}/messages`, { content })
    await received
    times.push(performance.now() - began)
    await answered
  }
  return times
}

/** The processor time that a process has taken so far. */
async function cpuMs({ origin }: Server): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`, { headers: { connection: 'close' } })).text()
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)![1]) * 1_000
}
