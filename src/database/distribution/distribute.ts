import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { type StoreTable, storeTables } from './tables.ts'

/** One thing to do, in a sentence, and the statement that does it. */
export type Step = { sentence: string; statement: string }

/** Why the message store cannot be distributed now. `unfit_keys` are the names of unique indexes. */
export type Obstacle =
  | { reason: 'no_citus' | 'no_workers' | 'done' }
  | { reason: 'unfit_keys'; keys: string[] }

/** The steps, in order, that distribute the tables of the message store that are not yet; or what prevents it. */
export async function planDistribution(db: Db): Promise<{ steps: Step[] } | { obstacle: Obstacle }> {
  const reason = await findMissingPart(db)
  if (reason) return { obstacle: { reason } }
  const existing = await listTables(db)
  const missing = existing.filter((table) => !table.isDistributed)
  if (missing.length === 0) return { obstacle: { reason: 'done' } }
  const keys = await listUnfitKeys(db, missing)
  if (keys.length > 0) return { obstacle: { reason: 'unfit_keys', keys } }
  const isFirst = (table: StoreTable) => existing.find(({ column }) => column === table.column) === table
  return {
    steps: [
      ...(await listForeignKeySteps(db, missing)),
      ...(await listTriggerSteps(db, missing)),
      ...missing.flatMap((table) => {
        const first = existing.find(({ column }) => column === table.column)!
        return stepsOf(table, isFirst(table) ? 'none' : first.name)
      }),
      ...(missing.some(({ name }) => name === 'messages') ? [indexStep] : []),
    ],
  }
}

async function findMissingPart(db: Db): Promise<'no_citus' | 'no_workers' | undefined> {
  const extension = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (extension.rows.length === 0) return 'no_citus'
  const workers = await sql`
    select from pg_dist_node where groupid > 0 and noderole = 'primary' and isactive and shouldhaveshards`.execute(
    db,
  )
  return workers.rows.length === 0 ? 'no_workers' : undefined
}

type FoundTable = StoreTable & { isDistributed: boolean }

/** The tables of the store that the database has. */
async function listTables(db: Db): Promise<FoundTable[]> {
  const names = storeTables.map(({ name }) => name)
  const { rows } = await sql<{ name: string; is_distributed: boolean }>`
    select name, exists (select 1 from pg_dist_partition where logicalrelid = to_regclass(name)) as is_distributed
    from unnest(${names}::text[]) as name where to_regclass(name) is not null`.execute(db)
  const found = new Map(rows.map((row) => [row.name, row.is_distributed]))
  return storeTables.flatMap((table) => {
    const isDistributed = found.get(table.name)
    return isDistributed === undefined ? [] : { ...table, isDistributed }
  })
}

/** The unique indexes without the column by which their table is to be distributed: each shard would be unique by itself. */
async function listUnfitKeys(db: Db, tables: readonly StoreTable[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name
    from unnest(${tables.map(({ name }) => name)}::text[], ${tables.map(({ column }) => column)}::text[])
      as wanted (name, column_name)
    join pg_index on indrelid = wanted.name::regclass and indisunique
    join pg_attribute on attrelid = indrelid and attname = column_name
    where attnum <> all(indkey::int2[]) order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

type ForeignKey = { constraint: string; from: string; to: string }

/** Citus has no foreign keys between distributed and plain tables: statements delete what goes with a room or account. */
async function listForeignKeySteps(db: Db, tables: readonly StoreTable[]): Promise<Step[]> {
  const { rows } = await sql<ForeignKey>`
    select conname as constraint, conrelid::regclass::text as from, confrelid::regclass::text as to
    from pg_constraint
    where contype = 'f' and ${tables.map(({ name }) => name)}::regclass[] && array[conrelid, confrelid]::regclass[]
    order by 2, 1`.execute(db)
  return rows.map((key) => ({
    sentence: `Drop the foreign key ${key.constraint} of ${key.from} to ${key.to}`,
    statement: `alter table ${key.from} drop constraint ${key.constraint}`,
  }))
}

/** Distributed tables have no triggers. Those of the store serve processes of an earlier version, and none may run. */
async function listTriggerSteps(db: Db, tables: readonly StoreTable[]): Promise<Step[]> {
  const { rows } = await sql<{ trigger: string; table: string }>`
    select quote_ident(tgname) as trigger, tgrelid::regclass::text as table from pg_trigger
    where tgrelid = any(${tables.map(({ name }) => name)}::regclass[]) and not tgisinternal
    order by 2, 1`.execute(db)
  return rows.map(({ trigger, table }) => ({
    sentence: `Drop the trigger ${trigger} of ${table}`,
    statement: `drop trigger ${trigger} on ${table}`,
  }))
}

/** No process empties the lists of the shards, as `src/messages/search/index-operations.ts` does of one table. */
const indexStep: Step = {
  sentence: 'Add messages to the search index at once, without a list of pending ones',
  statement: 'alter index messages_search_by_time set (fastupdate = off)',
}

function stepsOf({ name, column }: StoreTable, colocatedWith: string): Step[] {
  const beside = colocatedWith === 'none' ? '' : `, beside ${colocatedWith}`
  return [
    {
      sentence: `Distribute ${name} by ${column}${beside}`,
      statement: `select create_distributed_table('${name}', '${column}', colocate_with => '${colocatedWith}')`,
    },
    {
      sentence: `Remove the rows of ${name} from the coordinator`,
      statement: `select truncate_local_data_after_distributing_table('${name}')`,
    },
  ]
}

/** The numbers of rows of the tables of the store. */
export async function countStoreRows(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { name } of await listTables(db)) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::float8 as count from ${sql.table(name)}`.execute(db)
    counts.set(name, rows[0]!.count)
  }
  return counts
}
