import { setTimeout as pause } from 'node:timers/promises'
import type { startPostgres } from '../../src/database/embedded/embedded.ts'
import type { Server } from '../../test/support/server.ts'
import { median } from '../percentile.ts'
import { copyDatabase, findPostmaster, onDatabase } from './databases.ts'
import type { Load, LoadRequest } from './load.ts'
import { limitMemory } from './memory-limit.ts'
import type { Row } from './report.ts'

const missingBytes = 2 ** 30
/** Vacuum begins after a hundredth of a table has changed, which happens several times in a run. */
const settings = [
  'shared_buffers=256MB',
  'max_wal_size=1GB',
  'autovacuum_naptime=5s',
  'autovacuum_vacuum_insert_scale_factor=0.01',
  'autovacuum_vacuum_scale_factor=0.01',
]

type LargeData = {
  start: (settings: string[]) => ReturnType<typeof startPostgres>
  startHearth: (databaseUrl: string) => Promise<Server>
  load: Load
  connections: number
  seconds: number
  requests: LoadRequest[]
}

/**
 * The longest send to a copy of a database while PostgreSQL has a gigabyte less memory than that takes, and vacuums and
 * checkpoints meanwhile; then how long the server takes to start after it was killed under this load. No rows where
 * memory cannot be limited.
 */
export async function measureLargeData(
  { start, startHearth, load, connections, seconds, requests }: LargeData,
  database: string,
): Promise<Row[]> {
  const postgres = await start(settings)
  const servers: Server[] = []
  const startServer = async (databaseUrl: string) => {
    const server = await startHearth(databaseUrl)
    servers.push(server)
    return server
  }
  let lift: (() => Promise<void>) | undefined
  try {
    const databaseUrl = await copyDatabase(postgres.adminUrl, database)
    const { rows } = await onDatabase(databaseUrl, 'select pg_database_size(current_database()) as bytes')
    const bytes = Number(rows[0].bytes)
    lift = await limitMemory(await findPostmaster(databaseUrl), bytes - missingBytes)
    if (!lift) return []
    const hearth = await startServer(databaseUrl)
    const running = load.run(hearth.origin, requests, connections, seconds)
    await pause((seconds * 1_000) / 2)
    await onDatabase(databaseUrl, 'checkpoint')
    const { requests: count, longest, p50 } = await running
    const vacuumed = await onDatabase(
      databaseUrl,
      `select string_agg(relname, ', ' order by relname) as names from pg_stat_user_tables where autovacuum_count > 0`,
    )
    const gigabytes = (size: number) => `${(size / 2 ** 30).toFixed(1)} GB`
    const title = `Longest of ${count.toLocaleString('en')} sends, a database of ${gigabytes(bytes)}, PostgreSQL with ${gigabytes(bytes - missingBytes)} of memory, one checkpoint, autovacuum of ${vacuumed.rows[0].names}`
    return [
      {
        title,
        subject: `${longest.toFixed(0)} ms`,
        yardstick: `p50: ${p50.toFixed(2)} ms`,
        value: longest,
        unit: ' ms',
        target: 250,
        higherIsBetter: false,
      },
      await measureStartAfterKill(hearth, {
        startHearth: startServer,
        databaseUrl,
        load,
        connections,
        requests,
      }),
    ]
  } finally {
    for (const server of servers) await server.end()
    await postgres.stop()
    await lift?.()
  }
}

const kills = 5
const loadSeconds = 4

/** From the start of the process to its first answer, after the one before was killed while it was sending. */
async function measureStartAfterKill(
  first: Server,
  {
    startHearth,
    databaseUrl,
    load,
    connections,
    requests,
  }: Omit<LargeData, 'start' | 'seconds'> & { databaseUrl: string },
): Promise<Row> {
  const times: number[] = []
  let hearth = first
  for (let kill = 0; kill < kills; kill += 1) {
    // Its requests fail in the end.
    const running = load.run(hearth.origin, requests, connections, loadSeconds).catch(() => {})
    await pause((loadSeconds * 1_000) / 2)
    await hearth.end('SIGKILL')
    const started = performance.now()
    hearth = await startHearth(databaseUrl)
    await (await fetch(`${hearth.origin}/health`)).arrayBuffer()
    times.push((performance.now() - started) / 1_000)
    await running
  }
  const value = median(times)
  return {
    title: 'Start to first answer, 10,000,000 messages, after a kill under load',
    subject: `${value.toFixed(2)} s`,
    yardstick: `longest of ${kills}: ${Math.max(...times).toFixed(2)} s`,
    value,
    unit: ' s',
    target: 1.5,
    higherIsBetter: false,
  }
}
