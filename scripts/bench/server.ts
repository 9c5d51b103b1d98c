// Measures the server beside its yardsticks.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../../src/database/embedded/embedded.ts'
import { type Server, startServer } from '../../test/support/server.ts'
import { interruptPostgres } from '../interrupt-postgres.ts'
import { median } from '../percentile.ts'
import { countRepeated } from './attempts.ts'
import {
  copyDatabase,
  findPostmaster,
  onDatabase,
  prepareDatabase,
  prepareSearchDatabase,
} from './databases.ts'
import { chooseInserts } from './inserts.ts'
import { measureLargeData } from './large.ts'
import { chooseLoad } from './load.ts'
import { type Measure, reads, sends } from './measures.ts'
import { readProcessorTime, residentMb, startCollectable } from './processes.ts'
import { type Report, type Row, type Trace, writeReport } from './report.ts'
import { measureRequests, measureSizes, type Rounds, startBare } from './request-measures.ts'
import { measureSearch } from './search.ts'
import { bigSize, smallSize } from './seed.ts'
import { measureBroadcast, measureIdleSockets } from './socket-measures.ts'
import { measureDeletion, measureTail } from './tail.ts'

const quick = process.argv.includes('--quick')
const root = join(import.meta.dirname, '../..')
const cache = join(root, '.cache', 'bench')
/** Where the cluster of the bench is, and that of the server whose start is timed. */
const [postgresFolder, startFolder] = [join(cache, 'postgres'), join(cache, 'start')]
// Many short rounds rather than few long ones: the machine's own pace changes within a minute.
const rounds: Rounds = {
  load: chooseLoad(cache),
  inserts: chooseInserts(cache),
  connections: 32,
  count: quick ? 3 : 17,
  seconds: quick ? 2 : 1,
  warmUpSeconds: 2,
}
const sockets = {
  cache,
  rounds: rounds.count,
  broadcasts: 100,
  count: quick ? 200 : 1_000,
  idle: quick ? 500 : 5_000,
  idleRounds: quick ? 1 : 3,
  restMs: quick ? 3_000 : 10_000,
}
const idleSeconds = quick ? 3 : 25
/** So many that 200,000 messages are sent meanwhile. */
const tailSeconds = quick ? 10 : 75
const searchedHouse = { rooms: 500, messages: quick ? 200_000 : 10_000_000 }
const searchCount = quick ? 20 : 100
const deletedHouse = quick ? { rooms: 50, messages: 20_000 } : { rooms: 500, messages: 1_000_000 }

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
process.once('exit', () => {
  interruptPostgres(postgresFolder)
  interruptPostgres(join(startFolder, 'postgres'))
})

const startedAt = new Date().toISOString()
const timeBefore = await readProcessorTime()
await mkdir(cache, { recursive: true })
const startCluster = (settings: string[]) => startPostgres(postgresFolder, settings)
const postgres = await startCluster(['shared_buffers=1GB', 'max_wal_size=8GB'])
let big: string | undefined
const rows: Row[] = []
const latencies: Report['latencies'] = []
const sizes: Report['sizes'] = []
let trace: Trace = { pointMs: 0, longest: [] }
const servers: Server[] = []

try {
  const small = await prepareDatabase(postgres.adminUrl, smallSize)
  big = quick ? undefined : await prepareDatabase(postgres.adminUrl, bigSize)
  const databaseUrl = await copyDatabase(postgres.adminUrl, small)
  // The first start of a clone compiles the modules, and keeps them.
  await (await startHearth(databaseUrl)).end()
  const hearth = await startHearth(databaseUrl)
  await pause(idleSeconds * 1_000)
  const idleMb = await residentMb(hearth.child)
  const bare = await startBare(cache, hearth, reads)
  servers.push(bare)
  const subjects = { hearth, bare, databaseUrl, postmaster: await findPostmaster(databaseUrl) }
  const measureAll = async (measures: Measure[]) => {
    for (const measure of measures) {
      const { row, latency } = await measureRequests(rounds, measure, subjects)
      rows.push(row)
      latencies.push(latency)
      console.log(measure.key, row.value.toFixed(2))
    }
  }
  await measureAll(reads)
  if (big !== undefined) {
    const measured = await measureSizes(rounds, hearth, await startHearth(big))
    rows.push(...measured.rows)
    sizes.push(...measured.sizes)
  }
  const searched = await startHearth(await prepareSearchDatabase(postgres.adminUrl, searchedHouse))
  rows.push(...(await measureSearch(searched, searchedHouse, searchCount)))
  await measureAll(sends)
  const { requests } = sends[0]!
  const tail = await measureTail({ ...rounds, seconds: tailSeconds }, requests, hearth)
  trace = tail.trace
  rows.push(...tail.rows)
  rows.push(await measureDeletion({ hearth, databaseUrl, send: requests[0]! }, deletedHouse))
  rows.push(await measureBroadcast(sockets, hearth))
  rows.push(await measureIdleSockets(sockets, await startHearth(databaseUrl, startCollectable)))
  // Memory goes back to the system once the server has been idle for a while.
  await pause(idleSeconds * 1_000)
  rows.push(
    plain(`Resident memory, idle, ${idleSeconds} s after the start`, idleMb, ' MB', 100),
    plain(`… ${idleSeconds} s after the whole bench`, await residentMb(hearth.child), ' MB', 200),
  )
  await measureStart()
} finally {
  for (const server of servers.reverse()) await server.end()
}
const { rows: versions } = await onDatabase(postgres.adminUrl, 'show server_version')
await postgres.stop()
const notes: string[] = []
if (big !== undefined) {
  const { requests } = sends[0]!
  const parts = { start: startCluster, startHearth, ...rounds, seconds: tailSeconds, requests }
  const large = await measureLargeData(parts, big)
  rows.push(...large)
  if (large.length === 0)
    notes.push('The memory of PostgreSQL could not be limited: nothing was measured with too little.')
}
const timeAfter = await readProcessorTime()
await writeReport(join(root, 'docs'), {
  startedAt,
  quick,
  stolen: (timeAfter.stolen - timeBefore.stolen) / (timeAfter.all - timeBefore.all),
  rounds: rounds.count,
  seconds: rounds.seconds,
  load: rounds.load.name,
  inserts: rounds.inserts.name,
  node: process.version,
  postgres: versions[0].server_version,
  connections: rounds.connections,
  rows,
  latencies,
  sizes,
  trace,
  notes: [
    ...notes,
    ...(quick ? ['A quick run: few rounds, few sockets, no large data.'] : []),
    ...(countRepeated() > 0 ? [`${countRepeated()} rounds came to no figure and were repeated.`] : []),
  ],
})
for (const row of rows) console.log(`${row.title}: ${row.value.toFixed(2)}${row.unit} (target ${row.target})`)

async function startHearth(databaseUrl: string, startIt = startServer): Promise<Server> {
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }
  const server = await startIt(join(cache, 'data'), { environment })
  server.child.stderr!.pipe(process.stderr)
  servers.push(server)
  return server
}

/** From the start of the process to its first answer, with an embedded database whose data exists. */
async function measureStart(): Promise<void> {
  const times: number[] = []
  for (let round = 0; round <= rounds.count; round += 1) {
    const started = performance.now()
    const environment = { RATE_LIMIT: 'on', LOG_LEVEL: 'error' }
    const server = await startServer(startFolder, { environment })
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
