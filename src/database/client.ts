import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { stallTolerantTimeout } from '../concurrency/stall-tolerant-timeout.ts'
import { asPooled, type ConnectionMonitor, monitorConnections } from './availability/connection-monitor.ts'
import { DatabaseUnavailable, isDatabaseUnavailable } from './availability/unavailable.ts'
import { openPipeline, type Pipeline } from './batching/pipeline.ts'
import { type Distribution, detectDistribution } from './distribution/detection.ts'
import { PooledClient } from './pool/pooled-client.ts'
import type { TimedConfig } from './pool/timed-client.ts'
import type { DB } from './schema.ts'
import { type ServerUse, serverUseOf } from './servers/server-use.ts'

/** The pool, or a transaction on it: queries take either. */
export type Db = Kysely<DB>

const maxConnections = 10
const connectWithinMs = 2_000
const connectWithoutTimeoutsMs = 5_000
/** The longest wait for a connection; then the request fails. */
const maxWaitMs = 2_000
/** When this many wait for a connection, further ones fail at once. */
const maxWaiting = 500
/** How long the pool stays limited after the database refused further connections. */
const smallForMs = 5_000

// Statements are planned once per connection: they are written so that one plan serves all parameters, and planning
// some of them takes longer than running them. `random_page_cost` is that of an SSD. Citus needs other plans
// (distribution/detection.ts).
export const planSettings = '-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1 -c jit=off'

// Transactions keep locks only briefly, except those on deleted rows, so waits for a lock are short. Half a minute is far
// more than any statement needs.
const limits = '-c lock_timeout=2s -c statement_timeout=30s -c idle_in_transaction_session_timeout=10s'

type Opened = { pool: pg.Pool; pipeline: Pipeline; monitor: ConnectionMonitor | undefined }
const opened = new WeakMap<Db, Opened>()
/** By the adapter, which a transaction has in common with its pool. */
const distributions = new WeakMap<object, Distribution>()

/** The number of connections of the pool, of idle ones among them, and of requests that wait for one. */
export function poolStats(db: Db): { total: number; idle: number; waiting: number } {
  const pool = opened.get(db)?.pool
  return { total: pool?.totalCount ?? 0, idle: pool?.idleCount ?? 0, waiting: pool?.waitingCount ?? 0 }
}

/** The pipeline for the reads of the hot path; undefined for a transaction. */
export function pipelineOf(db: Db): Pipeline | undefined {
  return opened.get(db)?.pipeline
}

/** The servers of the database; undefined for a transaction. */
export function serverUse(db: Db): ServerUse | undefined {
  const url = opened.get(db)?.pool.options.connectionString
  return url === undefined ? undefined : serverUseOf(url)
}

/** Returns a check whether the database is unavailable: then every use of it fails at once, until it answers again. */
export function availabilityCheck(db: Db): () => boolean {
  return opened.get(db)?.monitor?.isUnavailable ?? (() => false)
}

/** Whether the message store is distributed. Before the first connection of the pool this is not known, and false. */
export function isDistributed(db: Db): boolean {
  return distributions.get(db.getExecutor().adapter)?.isDistributed ?? false
}

/**
 * Opens a pool for requests: none of them waits longer than a second or two for a database that is unavailable. Ids
 * (`bigint`) are read as decimal strings, `timestamptz` as Date.
 */
export function openDatabase(databaseUrl: string): Db {
  const distribution = detectDistribution()
  const pool = openPool(databaseUrl, `${planSettings} ${limits}`, connectWithinMs, distribution)
  const monitor = monitorConnections(pool, databaseUrl)
  return open(pool, limited(pool, monitor), distribution, monitor)
}

/** Opens a pool without time limits, for migrations, commands and erasing. */
export function openDatabaseWithoutTimeouts(databaseUrl: string): Db {
  const distribution = detectDistribution()
  const pool = openPool(databaseUrl, planSettings, connectWithoutTimeoutsMs, distribution)
  return open(pool, pool, distribution)
}

function openPool(
  databaseUrl: string,
  options: string,
  connectWithinMs: number,
  distribution: Distribution,
): pg.Pool {
  const config: pg.PoolConfig & TimedConfig = {
    connectionString: databaseUrl,
    max: maxConnections,
    connectWithinMs,
    application_name: 'hearth',
    options,
    pipeline: true,
    Client: PooledClient,
    onConnect: (client) => distribution.prepare(asPooled(client as pg.PoolClient)),
  }
  const pool = new pg.Pool(config)
  // An idle connection that breaks is replaced at the next use; without a listener the event would end the process.
  pool.on('error', () => {})
  // The same for a connection in use that breaks between two statements: the next statement on it fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('release', (_error, client) => {
    if (asPooled(client).isReadOnly) void client.end()
  })
  return pool
}

/** `source` gives the connections of the pool. */
function open(
  pool: pg.Pool,
  source: PostgresPool | pg.Pool,
  distribution: Distribution,
  monitor?: ConnectionMonitor,
): Db {
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: source }) })
  const pipeline = openPipeline(async () => asPooled((await source.connect()) as pg.PoolClient))
  opened.set(db, { pool, pipeline, monitor })
  distributions.set(db.getExecutor().adapter, distribution)
  return db
}

/** The pool, but refuses connections while the database is unavailable or too many wait. */
function limited(pool: pg.Pool, monitor: ConnectionMonitor): PostgresPool {
  let growing: NodeJS.Timeout | undefined

  /** PostgreSQL refuses further connections: limits the pool to the present ones for `smallForMs`. */
  function shrink(): void {
    pool.options.max = pool.totalCount
    clearTimeout(growing)
    growing = setTimeout(() => {
      pool.options.max = maxConnections
    }, smallForMs).unref()
  }

  async function connect(): Promise<pg.PoolClient> {
    if (monitor.isUnavailable()) throw new DatabaseUnavailable('the database is unavailable')
    if (pool.waitingCount >= maxWaiting) throw new DatabaseUnavailable('too many wait for the database')
    return new Promise((resolve, reject) => {
      let hasGivenUp = false
      const stopWaiting = stallTolerantTimeout(maxWaitMs, () => {
        hasGivenUp = true
        reject(new DatabaseUnavailable('no connection came free in time'))
      })
      pool.connect((error, client) => {
        stopWaiting()
        if (client && hasGivenUp) client.release()
        else if (client) resolve(client)
        else if (isTooManyConnections(error) && pool.totalCount > 0) {
          shrink()
          if (!hasGivenUp) resolve(connect())
        } else {
          if (isDatabaseUnavailable(error) && !isTooManyConnections(error)) monitor.markUnavailable()
          reject(error)
        }
      })
    })
  }

  return {
    options: pool.options,
    connect,
    end() {
      monitor.stop()
      clearTimeout(growing)
      return pool.end()
    },
  }
}

function isTooManyConnections(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300'
}

/** Whether an error is a violation of the constraint of this name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint
}
