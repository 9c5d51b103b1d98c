import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Server, startServer } from '../../test/support/server.ts'
import { median } from '../percentile.ts'
import type { InsertLoad } from './inserts.ts'
import type { Load, LoadRequest, LoadResult } from './load.ts'
import { type Measure, pageRequests } from './measures.ts'
import { processorMs, processorMsOfTree } from './processes.ts'
import type { Latency, Report, Row } from './report.ts'
import { bigSize, smallSize } from './seed.ts'

/** How the rounds of request measures go. */
export type Rounds = {
  load: Load
  inserts: InsertLoad
  connections: number
  count: number
  seconds: number
  warmUpSeconds: number
}

/** Of the two servers whose tails are compared, one has just been started, and still compiles while it answers. */
const warmUpRounds = 10

/** A bare server that gives, under the key of each measure, what Hearth answers to the first of its requests now. */
export async function startBare(folder: string, hearth: Server, measures: Measure[]): Promise<Server> {
  const answers: Record<string, { schema: string; body: unknown }> = {}
  for (const { key, yardstick, requests } of measures) {
    const { path, headers } = requests[0]!
    const answer = await fetch(hearth.origin + path, { headers })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    answers[`/${key}`] = { schema: yardstick, body: await answer.json() }
  }
  const file = join(folder, 'answers.json')
  await writeFile(file, JSON.stringify(answers))
  const main = join(import.meta.dirname, 'bare.ts')
  return startServer(folder, { main, environment: { BARE_ANSWERS: file } })
}

/** What is measured: the processes and the database. `postmaster` is the process id of PostgreSQL. */
type Subjects = { hearth: Server; bare: Server; databaseUrl: string; postmaster: number }

/** Requests per second, and the processor time of each in µs. */
type Cost = { perSecond: number; us: number }

/**
 * A measure in rounds that alternate with its yardstick. The value is the median of the ratios of the rounds: the processor
 * time of a request to Hearth, that of PostgreSQL included, ÷ that of the yardstick.
 */
export async function measureRequests(
  rounds: Rounds,
  measure: Measure,
  { hearth, bare, databaseUrl, postmaster }: Subjects,
): Promise<{ row: Row; latency: Latency }> {
  const { load, inserts, connections, count, seconds, warmUpSeconds } = rounds
  const { key, title, target, requests } = measure
  const isBare = measure.yardstick !== 'inserts'
  const bareRequests: LoadRequest[] = [{ method: 'GET', path: `/${key}`, headers: {} }]
  const databaseMs = () => processorMsOfTree(postmaster)
  const hearthMs = async () => (await processorMs(hearth.child.pid!)) + (await databaseMs())
  const bareMs = () => processorMs(bare.child.pid!)
  const yardstick = async (): Promise<Cost> => {
    const run = isBare
      ? () => load.run(bare.origin, bareRequests, connections, seconds)
      : async () => {
          const { rows, rowsPerSecond } = await inserts.run(databaseUrl, connections, seconds)
          return { requests: rows, requestsPerSecond: rowsPerSecond }
        }
    return (await costOf(run, isBare ? bareMs : databaseMs)).cost
  }

  await load.run(hearth.origin, requests, connections, warmUpSeconds)
  if (isBare) await load.run(bare.origin, bareRequests, connections, warmUpSeconds)
  const pairs: { cost: Cost; result: LoadResult; yardstick: Cost }[] = []
  for (let round = 0; round < count; round += 1) {
    const beside = await yardstick()
    const subject = await costOf(() => load.run(hearth.origin, requests, connections, seconds), hearthMs)
    pairs.push({ ...subject, yardstick: beside })
  }
  const ratios = pairs.map((pair) => pair.cost.us / pair.yardstick.us)
  const value = median(ratios)
  const middle = pairs[ratios.indexOf(value)]!
  const row: Row = {
    title,
    subject: `${middle.cost.us.toFixed(0)} µs`,
    yardstick: `${measure.yardstick}: ${middle.yardstick.us.toFixed(0)} µs`,
    value,
    unit: '',
    target,
    higherIsBetter: false,
  }
  const rate = median(pairs.map((pair) => pair.cost.perSecond / pair.yardstick.perSecond))
  return { row, latency: { key, title, rate, result: medians(pairs.map((pair) => pair.result)) } }
}

/** What a run under load costs the processes whose processor time is read. */
async function costOf<Result extends Pick<LoadResult, 'requests' | 'requestsPerSecond'>>(
  run: () => Promise<Result>,
  readMs: () => Promise<number>,
): Promise<{ result: Result; cost: Cost }> {
  const before = await readMs()
  const result = await run()
  const us = (((await readMs()) - before) * 1_000) / result.requests
  return { result, cost: { perSecond: result.requestsPerSecond, us } }
}

/** The median of each figure over all rounds. */
function medians(results: LoadResult[]): Latency['result'] {
  const of = (name: keyof LoadResult) => median(results.map((result) => result[name]))
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50: of('p50'),
    p90: of('p90'),
    p99: of('p99'),
    p999: of('p999'),
  }
}

/** The latencies of pages on a server with little data and on one with much, in rounds that alternate. */
export async function measureSizes(
  { load, connections, count, seconds }: Rounds,
  small: Server,
  big: Server,
): Promise<{ rows: Row[]; sizes: Report['sizes'] }> {
  const rows: Row[] = []
  const sizes: Report['sizes'] = []
  const places = [
    { server: small, size: smallSize },
    { server: big, size: bigSize },
  ]
  for (const page of ['history', 'mentions'] as const) {
    const runs = places.map(() => [] as LoadResult[])
    for (let round = -warmUpRounds; round < count; round += 1) {
      for (const [n, { server, size }] of places.entries()) {
        const requests = pageRequests(size.houses * size.roomsPerHouse)[page]
        const result = await load.run(server.origin, requests, connections, seconds)
        if (round >= 0) runs[n]!.push(result)
      }
    }
    const points = places.map(({ size }, n) => {
      const { p50, p99 } = medians(runs[n]!)
      return { messages: size.messages, p50, p99 }
    })
    sizes.push({ title: page, points })
    const [little, much] = [points[0]!, points[1]!]
    const [few, many] = [little, much].map(({ messages }) => messages.toLocaleString('en'))
    rows.push({
      title: `p99 of ${page} at ${many} messages ÷ at ${few}`,
      subject: `${much.p99.toFixed(2)} ms`,
      yardstick: `${little.p99.toFixed(2)} ms`,
      value: much.p99 / little.p99,
      unit: '',
      target: 1.25,
      higherIsBetter: false,
    })
  }
  return { rows, sizes }
}
