import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Server, startServer } from '../../test/support/server.ts'
import { median } from '../percentile.ts'
import type { InsertLoad } from './inserts.ts'
import type { Load, LoadRequest, LoadResult } from './load.ts'
import { type Measure, pageRequests } from './measures.ts'
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

/** A measure in rounds that alternate with its yardstick; the value is the median of the rounds' ratios. */
export async function measureRequests(
  rounds: Rounds,
  measure: Measure,
  { hearth, bare, databaseUrl }: { hearth: Server; bare: Server; databaseUrl: string },
): Promise<{ row: Row; latency: Latency }> {
  const { load, inserts, connections, count, seconds, warmUpSeconds } = rounds
  const { key, title, target, requests } = measure
  const isBare = measure.yardstick !== 'inserts'
  const bareRequests: LoadRequest[] = [{ method: 'GET', path: `/${key}`, headers: {} }]
  const yardstick = async () =>
    isBare
      ? (await load.run(bare.origin, bareRequests, connections, seconds)).requestsPerSecond
      : inserts.run(databaseUrl, connections, seconds)

  await load.run(hearth.origin, requests, connections, warmUpSeconds)
  if (isBare) await load.run(bare.origin, bareRequests, connections, warmUpSeconds)
  const pairs: { subject: LoadResult; yardstick: number }[] = []
  for (let round = 0; round < count; round += 1) {
    const beside = await yardstick()
    pairs.push({ subject: await load.run(hearth.origin, requests, connections, seconds), yardstick: beside })
  }
  const ratios = pairs.map((pair) => pair.subject.requestsPerSecond / pair.yardstick)
  const value = median(ratios)
  const middle = pairs[ratios.indexOf(value)]!
  const row: Row = {
    title,
    subject: `${Math.round(middle.subject.requestsPerSecond)}/s`,
    yardstick: `${measure.yardstick}: ${Math.round(middle.yardstick)}/s`,
    value,
    unit: '',
    target,
    higherIsBetter: true,
  }
  return { row, latency: { key, title, result: medians(pairs.map((pair) => pair.subject)) } }
}

/** The median of each figure over all rounds. */
function medians(results: LoadResult[]): Omit<LoadResult, 'failures'> {
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
