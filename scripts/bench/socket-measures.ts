import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Options, type Server, startServer } from '../../test/support/server.ts'
import { type Forked, startForked } from '../forked.ts'
import { median } from '../percentile.ts'
import { collectedMb, startCollectable } from './processes.ts'
import type { Row } from './report.ts'
import { memberCount, person, roomId } from './seed.ts'

type SocketSettings = {
  cache: string
  rounds: number
  broadcasts: number
  count: number
  idle: number
  idleRounds: number
  /** How long a server is left alone before its memory is looked at. */
  restMs: number
}

/** How many send at once: what one message waits for is time in which another one goes out. */
const senders = 4

/** The yardstick, with the frame that it sends. */
function bareSockets(frame: string): Options {
  return { main: join(import.meta.dirname, 'bare-sockets.ts'), environment: { BARE_FRAME: frame } }
}

/** Opens sockets in a process of its own, which ends when one of them is closed; all with a token are logged in then. */
async function openSockets(origin: string, path: string, tokens: (string | null)[]): Promise<Forked> {
  const sockets = startForked(join(import.meta.dirname, 'sockets.ts'))
  await sockets.ask({ open: { origin, path, tokens } })
  return sockets
}

async function closeSockets(sockets: Forked): Promise<void> {
  const code = await sockets.leave()
  if (code !== 0) throw new Error(`the process of the sockets ended with ${code}`)
}

/** Deliveries per second of messages to all sockets of one house, beside a bare loop with a frame of the same size. */
export async function measureBroadcast(settings: SocketSettings, hearth: Server): Promise<Row> {
  const { cache, rounds, broadcasts, count } = settings
  const tokens = Array.from({ length: count }, (_, n) => person(n).token)
  const post = {
    method: 'POST',
    headers: { authorization: person(0).token, 'content-type': 'application/json' },
  }
  const send = () =>
    fetch(`${hearth.origin}/rooms/${roomId(0)}/messages`, {
      ...post,
      body: '{"content":"hello by the fire"}',
    })
  const sample = (await ((await send()).json() as Promise<{ data: unknown }>)).data
  const frame = join(cache, 'frame.json')
  await writeFile(frame, JSON.stringify({ seq: 1000, op: 0, e: 'MESSAGE_CREATE', d: sample }))
  const bare = await startServer(cache, bareSockets(frame))
  const ours = await openSockets(hearth.origin, '/socket', tokens)
  const noTokens = tokens.map(() => null)
  const theirs = await openSockets(bare.origin, '/', noTokens)
  const ratios: number[] = []
  const figures: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    const barely = await broadcast(theirs, count, broadcasts, () => fetch(bare.origin, { method: 'POST' }))
    const ourRate = await broadcast(ours, count, broadcasts, send)
    ratios.push(ourRate / barely)
    figures.push([ourRate, barely])
  }
  await Promise.all([ours, theirs].map(closeSockets))
  await bare.end()
  const [ourRate, barely] = figures[ratios.indexOf(median(ratios))]!
  return {
    title: `Deliveries to ${count} sockets`,
    subject: `${Math.round(ourRate)}/s`,
    yardstick: `bare ws loop: ${Math.round(barely)}/s`,
    value: median(ratios),
    unit: '',
    target: 0.8,
    higherIsBetter: true,
  }
}

async function broadcast(
  sockets: Forked,
  deliveries: number,
  times: number,
  send: () => Promise<Response>,
): Promise<number> {
  const started = performance.now()
  let left = times
  const sending = Array.from({ length: senders }, async () => {
    while (left-- > 0) {
      const answer = await send()
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`a message to all sockets was answered ${answer.status}`)
    }
  })
  await Promise.all([sockets.ask({ expect: deliveries * times }), ...sending])
  return (deliveries * times) / ((performance.now() - started) / 1000)
}

/**
 * Memory that each idle, logged-in socket takes, beside a bare one: of what is in use, as what is left of the logins until
 * it is given back says nothing of sockets. Both servers have to be collectable.
 */
export async function measureIdleSockets(settings: SocketSettings, hearth: Server): Promise<Row> {
  const { cache, idle, idleRounds, restMs } = settings
  const bare = await startCollectable(cache, bareSockets(join(cache, 'frame.json')))
  const ourTokens = Array.from({ length: idle }, (_, n) => person(n % memberCount).token)
  const theirTokens = ourTokens.map(() => null)
  const restingMb = async (server: Server) => {
    await pause(restMs)
    return collectedMb(server.child)
  }
  const kbEach = async (server: Server, path: string, tokens: (string | null)[]) => {
    const before = await restingMb(server)
    const sockets = await openSockets(server.origin, path, tokens)
    const after = await restingMb(server)
    await closeSockets(sockets)
    return ((after - before) * 1024) / idle
  }
  // These make the heap grow as far as the logins need: what the sockets themselves hold comes on top.
  await closeSockets(await openSockets(hearth.origin, '/socket', ourTokens))
  await closeSockets(await openSockets(bare.origin, '/', theirTokens))
  const figures: [number, number][] = []
  for (let round = 0; round < idleRounds; round += 1) {
    const theirs = await kbEach(bare, '/', theirTokens)
    figures.push([await kbEach(hearth, '/socket', ourTokens), theirs])
  }
  await bare.end()
  const ratios = figures.map(([ours, theirs]) => ours / theirs)
  const [ours, theirs] = figures[ratios.indexOf(median(ratios))]!
  return {
    title: `Memory per idle socket (${idle} sockets)`,
    subject: `${ours.toFixed(1)} KB`,
    yardstick: `bare ws: ${theirs.toFixed(1)} KB`,
    value: median(ratios),
    unit: '',
    target: 2,
    higherIsBetter: false,
  }
}
