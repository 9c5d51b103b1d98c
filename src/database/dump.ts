import type { Readable, Writable } from 'node:stream'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { DatabaseClient } from './servers/database-client.ts'
import { selectKept } from './withheld.ts'

const connectWithinMs = 10_000

/** A table to be copied: its columns except computed ones, and the tables that its rows refer to. */
export type DumpedTable = { name: string; columns: string[]; references: string[] }

/** A stream in the text format of COPY; `rowCount` is known once it has ended. */
type TableReader = Readable & { rowCount: number }
type TableWriter = Writable & { rowCount: number }

/** Runs `work` in one transaction on a connection of its own. */
export async function inTransaction<Result>(
  databaseUrl: string,
  mode: 'isolation level repeatable read read only' | 'read write',
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    connectWithinMs,
    application_name: 'hearth backup',
    keepAlive: true,
    // Parallel workers would return the rows of a `select` in another order each time.
    options:
      '-c datestyle=ISO,YMD -c intervalstyle=postgres -c bytea_output=hex -c max_parallel_workers_per_gather=0',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`begin ${mode}`)
    const result = await work(client)
    await client.query('commit')
    return result
  } finally {
    // What is not committed by now is rolled back.
    await client.end()
  }
}

/**
 * The tables that belong in a backup, each after the tables that it refers to. Left out are unlogged tables, whose
 * contents may be lost, and the tables of the migrations themselves.
 */
export async function listTables(client: pg.Client): Promise<DumpedTable[]> {
  const { rows } = await client.query<DumpedTable>(`
    select tables.relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
      ) as columns,
      array(
        select distinct pointed.relname::text from pg_constraint join pg_class as pointed on pointed.oid = confrelid
        where conrelid = tables.oid and contype = 'f' and confrelid <> tables.oid
      ) as references
    from pg_class as tables
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
      and relname not like 'kysely_%'
    order by relname`)
  return inReferenceOrder(rows)
}

function inReferenceOrder(tables: readonly DumpedTable[]): DumpedTable[] {
  const ordered: DumpedTable[] = []
  const waiting = new Set(tables)
  while (waiting.size > 0) {
    const names = new Set([...waiting].map((table) => table.name))
    const next = [...waiting].find((table) => table.references.every((name) => !names.has(name)))
    if (!next) throw new Error(`These tables point to each other: ${[...names].join(', ')}`)
    waiting.delete(next)
    ordered.push(next)
  }
  return ordered
}

/** The names of the migrations that the database has, in order. */
export async function listAppliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name')
  return rows.map((row) => row.name)
}

/** Locks the tables exclusively until the transaction ends. */
export async function lockTables(client: pg.Client, tables: readonly DumpedTable[]): Promise<void> {
  const names = tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')
  if (names !== '') await client.query(`lock table ${names} in access exclusive mode`)
}

/** Disables the triggers of all tables, which would add rows to those that are copied, or enables them again. */
export async function setTriggers(client: pg.Client, to: 'disable' | 'enable'): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select distinct tgrelid::regclass::text as name from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal`)
  for (const { name } of rows) await client.query(`alter table ${name} ${to} trigger user`)
}

/** The name of a table that has rows, or undefined. */
export async function findNonEmptyTable(
  client: pg.Client,
  tables: readonly DumpedTable[],
): Promise<string | undefined> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`select 1 from ${pg.escapeIdentifier(name)} limit 1`)
    if (rowCount !== 0) return name
  }
  return undefined
}

/** The rows of a table that belong in a backup, as COPY writes them. */
export function readTable(client: pg.Client, table: Pick<DumpedTable, 'name' | 'columns'>): TableReader {
  return client.query(copyTo(`copy ${selectKept(table)} to stdout`))
}

/** Takes rows in the form of `readTable`. */
export function writeTable(client: pg.Client, table: Pick<DumpedTable, 'name' | 'columns'>): TableWriter {
  return client.query(copyFrom(`copy ${placeOf(table)} from stdin`))
}

/** Ends all login sessions of people, and, `ofBots`, those of bots, to which their tokens belong. */
export async function deleteSessions(client: pg.Client, { ofBots }: { ofBots: boolean }): Promise<void> {
  const ofPeople = 'where user_id in (select id from users where not bot)'
  await client.query(`delete from sessions ${ofBots ? '' : ofPeople}`)
}

/** Updates the statistics of the planner. */
export async function analyzeTables(client: pg.Client): Promise<void> {
  await client.query('analyze')
}

function placeOf({ name, columns }: Pick<DumpedTable, 'name' | 'columns'>): string {
  return `${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`
}
