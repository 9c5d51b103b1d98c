import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '../../percentile.ts'
import type { Arrivals } from './arrivals.ts'

/** A request that another user repeats during the attack. */
export type Probe = {
  name: string
  method: string
  path: string
  token?: string
  /** Built for each request. */
  body?: () => string
  restMs: number
}

/** What the answers of a probe were, of those that came and those that are still waited for. */
export type Seen = { count: number; p50: number; p99: number; refused: number; statuses: string }

/** The answers by the name of their probe, and by how much this process itself was late. */
export type Look = { seen: Map<string, Seen>; ownDelayMs: number }

const tickMs = 20
const givenUpAfterMs = 30_000
/** Where the others come from; attacks come from elsewhere. */
const localAddress = '127.0.0.2'

type Answer = { status: number; ms: number }

/**
 * Others who use the server as people do, each with a connection of their own, until `stop`. The answers of the probe
 * `delivery` are the messages that arrive.
 */
export function beginCalm(port: number, probes: readonly Probe[], arrivals: Arrivals) {
  const agents = probes.map(() => new Agent({ keepAlive: true, maxSockets: 1, localAddress }))
  const answers = new Map<string, Answer[]>(probes.map(({ name }) => [name, []]))
  const since = new Map<string, number>()
  let delays: number[] = []
  let stopped = false

  const workers = probes.map(async (probe, index) => {
    while (!stopped) {
      const started = performance.now()
      since.set(probe.name, started)
      const status = await ask(port, probe, agents[index]!)
      since.delete(probe.name)
      answers.get(probe.name)!.push({ status, ms: performance.now() - started })
      await pause(probe.restMs)
    }
  })
  let due = performance.now() + tickMs
  const ticking = setInterval(() => {
    const now = performance.now()
    delays.push(Math.max(0, now - due))
    due = now + tickMs
  }, tickMs)
  return {
    /** What was seen since the last look. */
    look(): Look {
      const now = performance.now()
      const seen = new Map<string, Seen>()
      for (const [name, all] of answers) {
        const waits = since.get(name)
        seen.set(name, sum(all.splice(0), waits === undefined ? 0 : now - waits))
      }
      const times = arrivals.takeTimes()
      seen.set('delivery', { ...spread(times), count: times.length, refused: 0, statuses: '' })
      const ownDelayMs = percentile(delays, 0.99)
      delays = []
      return { seen, ownDelayMs }
    },
    async stop() {
      stopped = true
      clearInterval(ticking)
      arrivals.close()
      for (const agent of agents) agent.destroy()
      await Promise.all(workers)
    },
  }
}

/** Who waits has waited for so long at least; short waits tell nothing yet. */
function sum(all: readonly Answer[], waitsMs: number): Seen {
  const times = all.map(({ ms }) => ms)
  if (waitsMs > percentile(times, 0.5)) times.push(waitsMs)
  const statuses = Object.entries(Object.groupBy(all, ({ status }) => status))
  return {
    count: all.length,
    ...spread(times),
    refused: all.filter(({ status }) => status !== 200).length,
    statuses: statuses.map(([status, some]) => `${some!.length} × ${status}`).join(', '),
  }
}

function spread(times: readonly number[]): { p50: number; p99: number } {
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

function ask(port: number, { method, path, token, body }: Probe, agent: Agent): Promise<number> {
  const payload = body?.()
  const headers: Record<string, string | number> = token === undefined ? {} : { authorization: token }
  if (payload !== undefined)
    Object.assign(headers, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    })
  return new Promise((resolve) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
      answer.on('error', () => resolve(0))
    })
    request.setTimeout(givenUpAfterMs, () => request.destroy())
    request.on('error', () => resolve(0))
    request.end(payload)
  })
}
