import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { detour, openTcpProxy } from '../../test/support/tcp-proxy.ts'
import { median } from '../percentile.ts'
import { type Disaster, disasters } from './database/disasters.ts'
import { beginLoad, type Sample } from './database/load.ts'
import { openSmallDisk } from './database/small-disk.ts'
import { BrokenPromise, type Figures, type Part } from './part.ts'
import { grown } from './support/own-delay.ts'
import { openStage } from './support/stage.ts'

/** How long the database is unavailable. */
const awayMs = { quick: 2_600, long: 10_000 }
const fineMs = 300
/** The limits in src/database/ come to 2.25 s. */
const defaultLongestMs = 3_500
const backWithinMs = 5_000
const rounds = { quick: 1, long: 10 }

export const database: Part = {
  name: 'database',
  promise: 'while the database is away every request answers 503 soon, and the server comes back by itself',
  mostlyWaits: true,
  async run({ quick, minutes }) {
    const size = quick ? 'quick' : 'long'
    const disk = await openSmallDisk()
    const stage = await openStage(['max_connections=40', 'superuser_reserved_connections=0'], disk?.folder)
    const way = detour(stage.databaseUrl)
    const proxy = await openTcpProxy(way.target)
    const figures: Figures = disk ? {} : { 'disk full': 'not tried: no disk of its own can be mounted here' }
    const deadline = performance.now() + (minutes ?? 60) * 60_000
    let load: Awaited<ReturnType<typeof beginLoad>> | undefined
    try {
      const server = await stage.startServer({ DATABASE_URL: way.through(proxy.port) })
      load = await beginLoad(stage, server)
      const tolls = new Map<string, Toll>()
      for (let round = 0; round === 0 || (round < rounds[size] && performance.now() < deadline); round += 1) {
        figures.rounds = round + 1
        for (const disaster of disasters({ stage, proxy, disk })) {
          const { name, shortMs = awayMs[size], atLeastMs = 0 } = disaster
          const toll = tolls.get(name) ?? { answers: 0, refusedMs: [], slowestMs: 0, backMs: 0 }
          tolls.set(name, toll)
          figures[name] = await suffer(disaster, load.samples, Math.max(shortMs, atLeastMs), toll)
        }
      }
      const keeps = await load.end()
      const { rows } = await sql<{ nonce: string; count: number }>`
        select nonce, count(*)::int as count from messages group by nonce`.execute(stage.db)
      const counts = new Map(rows.map((row) => [row.nonce, row.count]))
      figures['messages acknowledged'] = keeps.length
      if (keeps.length === 0) throw new BrokenPromise('no message was acknowledged', figures)
      const wrong = keeps.filter((nonce) => counts.get(nonce) !== 1)
      if (wrong.length > 0) throw new BrokenPromise(`${wrong.length} messages are not there once`, figures)
      if (server.child.exitCode !== null) throw new BrokenPromise(`the server has ended: ${server.output()}`)
      return figures
    } catch (error) {
      if (error instanceof BrokenPromise)
        throw new BrokenPromise(error.message, { ...figures, ...error.figures })
      throw error
    } finally {
      void load?.end()
      await proxy.close()
      await stage.close()
      await disk?.close()
    }
  },
}

/** How it went: answers, those of them that were 503 (by the time they took), and the longest times, in ms. */
type Toll = { answers: number; refusedMs: number[]; slowestMs: number; backMs: number }

/** Lets a disaster come and go under load, and says how it went, all its earlier rounds included. */
async function suffer(disaster: Disaster, samples: Sample[], forMs: number, toll: Toll): Promise<string> {
  samples.length = 0
  await pause(fineMs)
  const began = performance.now()
  await disaster.begin()
  await pause(forMs)
  const ended = performance.now()
  await disaster.end()
  const back = await waitForAll(samples)
  const during = samples.filter((sample) => sample.at > began)
  const refused = during.filter((sample) => sample.status === 503)
  const slowest = Math.max(0, ...during.map((sample) => sample.ms))
  toll.answers += during.length
  toll.refusedMs.push(...refused.map(({ ms }) => ms))
  toll.slowestMs = Math.max(toll.slowestMs, slowest)
  toll.backMs = Math.max(toll.backMs, back - ended)
  const figure = describe(toll)
  const fail = (what: string) => {
    throw new BrokenPromise(`${disaster.name}: ${what}`, { [disaster.name]: figure })
  }
  const wrong = during.find((sample) => ![200, 503].includes(sample.status))
  if (wrong) fail(`${wrong.kind} was answered ${wrong.status} ${wrong.text}`)
  const hasty = refused.find((sample) => sample.retryAfter === null)
  if (hasty) fail(`a 503 of ${hasty.kind} had no Retry-After`)
  if (refused.length === 0) fail('nothing was refused: the disaster did not come')
  if (slowest > grown(disaster.longestMs ?? defaultLongestMs))
    fail(`an answer took ${Math.round(slowest)} ms`)
  return figure
}

function describe({ answers, refusedMs, slowestMs, backMs }: Toll): string {
  return (
    `${refusedMs.length} of ${answers} answers were 503, half of them within ${Math.round(median(refusedMs))} ms, ` +
    `the slowest answer of all took ${Math.round(slowestMs)} ms, ` +
    `everything served again after ${Math.round(backMs)} ms at most`
  )
}

/** The time from now until every kind of request succeeds again. */
async function waitForAll(samples: Sample[]): Promise<number> {
  const started = performance.now()
  for (;;) {
    await pause(10)
    const since = samples.filter((sample) => sample.status === 200 && sample.at - sample.ms > started)
    const served = new Map<string, number>()
    for (const { kind, at } of since) if (!served.has(kind)) served.set(kind, at)
    const kinds = new Set(samples.map((sample) => sample.kind))
    if (served.size === kinds.size) return Math.max(...served.values())
    if (performance.now() - started > grown(backWithinMs)) {
      const missing = [...kinds].filter((kind) => !served.has(kind))
      throw new BrokenPromise(
        `${Math.round(grown(backWithinMs))} ms after it was over, not served yet: ${missing.join(', ')}`,
      )
    }
  }
}
