import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { DB } from './schema.ts'

/** The pool, or a transaction on it: queries take either. */
export type Db = Kysely<DB>

const maxConnections = 10
const connectTimeoutMs = 3_000
const maxStatementNames = 2_000

// Statements are planned once per connection: they are written so that one plan serves every parameter, and planning
// some of them takes longer than running them. A page that is not in memory comes from an SSD: an index is no detour.
const sessionOptions = '-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1 -c jit=off'

const statementNames = new Map<string, string>()

/** The name a statement is prepared under: a hash of its text. */
function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    if (statementNames.size >= maxStatementNames) statementNames.clear()
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
    statementNames.set(text, name)
  }
  return name
}

/** A `pg` client that prepares every statement with parameters once per connection. */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen overloads of this one method
  override query(config: any, values?: any, callback?: any): any {
    if (typeof config !== 'string' || !Array.isArray(values) || values.length === 0) {
      return super.query(config, values, callback)
    }
    return super.query({ name: statementName(config), text: config, values }, callback)
  }
}

const pools = new WeakMap<Db, pg.Pool>()

/** How many connections the pool has, how many of them are free, and how many wait for one. */
export function poolUse(db: Db): { total: number; idle: number; waiting: number } {
  const pool = pools.get(db)
  return { total: pool?.totalCount ?? 0, idle: pool?.idleCount ?? 0, waiting: pool?.waitingCount ?? 0 }
}

/** Opens a pool on a PostgreSQL address. Ids (`bigint`) are read as decimal strings, `timestamptz` as Date. */
export function openDatabase(databaseUrl: string): Db {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'hearth',
    options: sessionOptions,
    Client: PreparingClient,
  })
  // An idle connection that breaks is replaced at the next use; unheard, the event would end the process.
  pool.on('error', () => {})
  // So would that of one in use that breaks between two statements; the next statement on it says so.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  pools.set(db, pool)
  return db
}

const awayStates = /^(08|57P0|53300)/
const awaySystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
])
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|not queryable/

/** Whether an error says that the database cannot be reached now, rather than that a statement is wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return awayStates.test(code) || awaySystemCodes.has(code)
  return awayMessages.test(error.message)
}

/** Whether an error says that the database is there but does not let us in: password, role or database name are wrong. */
export function isDatabaseRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(28|3D)/.test(error.code ?? '')
}

/** Whether an error is the refusal of this unique or foreign key, by the constraint's name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint
}

/** Whether an error says that a transaction was ended because two waited for each other; it may be tried again. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01'
}
