// Measures Hearth beside its yardsticks and writes docs/performance.md: npm run bench [-- --quick]
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../src/db/embedded.ts'
import { type Server, startServer } from '../test/support/server.ts'
import { onDatabase, prepareDatabase } from './bench/databases.ts'
import { chooseInserts } from './bench/inserts.ts'
import { chooseLoad, type LoadRequest, type LoadResult } from './bench/load.ts'
import { type Measure, measures, pageRequests, sampleRequests } from './bench/measures.ts'
import { residentMb, startCollectable } from './bench/processes.ts'
import { type Report, type Row, writeReport } from './bench/report.ts'
import { bigSize, smallSize } from './bench/seed.ts'
import { measureBroadcast, measureIdleSockets } from './bench/socket-measures.ts'
import { median } from './percentile.ts'

const quick = process.argv.includes('--quick')
const root = join(import.meta.dirname, '..')
const cache = join(root, '.cache', 'bench')
const connections = 32
// Many short rounds rather than few long ones: the machine's own pace changes within a minute.
const rounds = quick ? 2 : 17
const seconds = quick ? 2 : 1
const socketCount = quick ? 200 : 1_000
const broadcasts = 100
const idleSockets = quick ? 500 : 5_000
const idleRounds = quick ? 1 : 3
const restSeconds = quick ? 3 : 10
const warmUpSeconds = 2
/** Of the two servers whose tails are compared, one has just been started, and still compiles while it answers. */
const warmUpRounds = 10
const idleSeconds = quick ? 3 : 25

await mkdir(cache, { recursive: true })
const load = chooseLoad(cache)
const inserts = chooseInserts(cache)
const postgres = await startPostgres(join(cache, 'postgres'), ['shared_buffers=1GB', 'max_wal_size=8GB'])
const rows: Row[] = []
const latencies: Report['latencies'] = []
const sizes: Report['sizes'] = []
const servers: Server[] = []

try {
  const small = await prepareDatabase(cache, postgres.url, 'bench_small', smallSize)
  const big = quick ? small : await prepareDatabase(cache, postgres.url, 'bench_big', bigSize)
  // The first start of a clone compiles the modules, and keeps them.
  await (await startHearth(small)).end()
  const hearth = await startHearth(small)
  const sockets = {
    cache,
    rounds,
    broadcasts,
    count: socketCount,
    idle: idleSockets,
    idleRounds,
    restMs: restSeconds * 1_000,
  }
  await pause(idleSeconds * 1_000)
  const idleMb = await residentMb(hearth.child)
  const bare = await startBare(hearth)
  await measureRequests(hearth, bare, small)
  if (!quick) await measureSizes(hearth, await startHearth(big))
  rows.push(await measureBroadcast(sockets, hearth))
  rows.push(await measureIdleSockets(sockets, await startHearth(small, startCollectable)))
  // Memory goes back to the system once the server has been idle for a while.
  await pause(idleSeconds * 1_000)
  rows.push(
    plain(`Resident memory, idle, ${idleSeconds} s after the start`, idleMb, ' MB', 110),
    plain(`… ${idleSeconds} s after the whole bench`, await residentMb(hearth.child), ' MB', 200),
  )
  await measureStart()
} finally {
  for (const server of servers.reverse()) await server.end()
}
const { rows: versions } = await onDatabase(postgres.url, 'show server_version')
await postgres.stop()
await writeReport(join(root, 'docs'), {
  startedAt: new Date().toISOString(),
  quick,
  load: load.name,
  inserts: inserts.name,
  node: process.version,
  postgres: versions[0].server_version,
  connections,
  rows,
  latencies,
  sizes,
  notes: quick ? ['A quick run: short rounds, few sockets, no large data.'] : [],
})
for (const row of rows) console.log(`${row.title}: ${row.value.toFixed(2)}${row.unit} (target ${row.target})`)

async function startHearth(databaseUrl: string, startIt = startServer): Promise<Server> {
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }
  const server = await startIt(join(cache, 'data'), { environment })
  server.child.stderr!.pipe(process.stderr)
  servers.push(server)
  return server
}

async function startBare(hearth: Server): Promise<Server> {
  const ask = async ({ path, headers }: LoadRequest) =>
    (await fetch(hearth.origin + path, { headers })).json()
  const answers = {
    '/user': { schema: 'user', body: await ask(sampleRequests.user) },
    '/page': { schema: 'page', body: await ask(sampleRequests.page) },
  }
  const file = join(cache, 'answers.json')
  await writeFile(file, JSON.stringify(answers))
  const main = join(root, 'scripts/bench/bare.ts')
  const server = await startServer(cache, { main, environment: { BARE_ANSWERS: file } })
  servers.push(server)
  return server
}

/** Every measure in rounds that alternate with its yardstick; the value is the median of the rounds' ratios. */
async function measureRequests(hearth: Server, bare: Server, databaseUrl: string): Promise<void> {
  const yardsticks: Record<Measure['yardstick'], () => Promise<number>> = {
    'bare user': async () =>
      (await run(bare, [{ method: 'GET', path: '/user', headers: {} }])).requestsPerSecond,
    'bare page': async () =>
      (await run(bare, [{ method: 'GET', path: '/page', headers: {} }])).requestsPerSecond,
    inserts: () => inserts.run(databaseUrl, connections, seconds),
  }
  for (const measure of measures) {
    await load.run(hearth.origin, measure.requests, connections, warmUpSeconds)
    const pairs: { subject: LoadResult; yardstick: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const yardstick = await yardsticks[measure.yardstick]()
      pairs.push({ subject: await run(hearth, measure.requests), yardstick })
    }
    const ratios = pairs.map(({ subject, yardstick }) => subject.requestsPerSecond / yardstick)
    const middle = pairs[ratios.indexOf(median(ratios))]!
    latencies.push({ title: measure.title, result: middle.subject })
    const subject = `${Math.round(middle.subject.requestsPerSecond)}/s`
    const yardstick = `${measure.yardstick}: ${Math.round(middle.yardstick)}/s`
    rows.push({
      title: measure.title,
      subject,
      yardstick,
      value: median(ratios),
      unit: '',
      target: measure.target,
      higherIsBetter: true,
    })
    console.log(measure.key, median(ratios).toFixed(2))
  }
}

async function run(server: Server, requests: LoadRequest[]): Promise<LoadResult> {
  const result = await load.run(server.origin, requests, connections, seconds)
  if (result.failures > 0)
    throw new Error(`${result.failures} requests failed: ${requests[0]?.method} ${requests[0]?.path}`)
  return result
}

async function measureSizes(small: Server, big: Server): Promise<void> {
  const places = [
    { server: small, size: smallSize },
    { server: big, size: bigSize },
  ]
  for (const page of ['history', 'mentions'] as const) {
    const runs = places.map(() => [] as LoadResult[])
    for (let round = -warmUpRounds; round < rounds; round += 1) {
      for (const [n, { server, size }] of places.entries()) {
        const requests = pageRequests(size.houses * size.roomsPerHouse)[page]
        const result = await run(server, requests)
        if (round >= 0) runs[n]!.push(result)
      }
    }
    const points = places.map(({ size }, n) => ({
      messages: size.messages,
      p50: median(runs[n]!.map((one) => one.p50)),
      p99: median(runs[n]!.map((one) => one.p99)),
    }))
    sizes.push({ title: page, points })
    const [at10k, at10m] = [points[0]!, points[1]!]
    rows.push({
      title: `p99 of ${page} at ${bigSize.messages.toLocaleString('en')} messages ÷ at ${smallSize.messages.toLocaleString('en')}`,
      subject: `${at10m.p99.toFixed(2)} ms`,
      yardstick: `${at10k.p99.toFixed(2)} ms`,
      value: at10m.p99 / at10k.p99,
      unit: '',
      target: 1.25,
      higherIsBetter: false,
    })
  }
}

/** From the start of the process to its first answer, with an embedded database whose data exists. */
async function measureStart(): Promise<void> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now()
    const environment = { RATE_LIMIT: 'on', LOG_LEVEL: 'error' }
    const server = await startServer(join(cache, 'start'), { environment })
    await (await fetch(`${server.origin}/health`)).arrayBuffer()
    // the first start makes the data
    if (round > 0) times.push((performance.now() - started) / 1000)
    await server.end()
  }
  rows.push(plain('Start to first answer, embedded database, existing data', median(times), ' s', 1))
}

function plain(title: string, value: number, unit: string, target: number): Row {
  return {
    title,
    subject: `${value.toFixed(2)}${unit}`,
    yardstick: '–',
    value,
    unit,
    target,
    higherIsBetter: false,
  }
}
