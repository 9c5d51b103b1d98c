import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Db, isDistributed, openDatabaseWithoutTimeouts } from '../../src/database/client.ts'
import { storeTables } from '../../src/database/distribution/tables.ts'
import { claimNodeNumber } from '../../src/database/node-number.ts'
import { makeCitusDatabase } from '../support/citus-template.ts'
import { environment, hearthIn } from '../support/cli.ts'
import { databaseOn, onServer, onServers } from '../support/database-server.ts'
import { failToStart } from '../support/server.ts'
import { db as distributed, folder } from '../support/world.ts'

const [coordinator, ...workers] = inject('servers') as [string, ...string[]]
const names = { full: `hearth_full_${process.pid}`, lone: `hearth_lone_${process.pid}` }
const full = { ...environment(), DATABASE_URL: databaseOn(coordinator, names.full) }
const lone = { ...environment(), DATABASE_URL: databaseOn(coordinator, names.lone) }

beforeAll(async () => {
  await makeCitusDatabase([coordinator, ...workers], names.full)
  await makeCitusDatabase([coordinator], names.lone)
  for (const place of [full, lone]) expect(await hearthIn(place, 'migrate')).toMatchObject({ code: 0 })
  await withDatabase(fill)
})

afterAll(async () => {
  await onServers([coordinator, ...workers], `drop database if exists ${names.full} with (force)`)
  await onServer(coordinator, `drop database if exists ${names.lone} with (force)`)
})

async function withDatabase<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
  const db = openDatabaseWithoutTimeouts(full.DATABASE_URL)
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

/** Rows in all tables of the store, and what their foreign keys refer to. */
async function fill(db: Db): Promise<void> {
  await sql`
    insert into users (id, username, name, email, password_hash)
    select i, 'u' || i, 'U', 'u' || i || '@example.org', '' from generate_series(1, 40) as i`.execute(db)
  await sql`insert into rooms (id, type, owner_id) select i, 2, i from generate_series(1, 40) as i`.execute(
    db,
  )
  await sql`
    insert into messages (room_id, id, author_id, device_id, content, mentions, attachment, nonce)
    select 1 + i % 40, i, 1 + i % 7, 1, repeat('ä ', i % 50) || i, array[i % 40 + 1, 3]::bigint[],
      case when i % 9 = 0 then '{"key": "k"}'::jsonb end, case when i % 5 = 0 then i::text end
    from generate_series(1, 4000) as i`.execute(db)
  await sql`insert into mentions select distinct unnest(mentions), id, room_id, author_id from messages`.execute(
    db,
  )
  await sql`insert into reactions select room_id, id, '👍', author_id from messages`.execute(db)
  await sql`insert into reaction_counts select room_id, id, '👍', 1, 1 from messages`.execute(db)
  await sql`insert into pins select room_id, id, '2026-01-01' from messages where id % 10 = 0`.execute(db)
  await sql`insert into read_states select author_id, room_id, max(id) from messages group by 1, 2`.execute(
    db,
  )
}

/** The hash of the rows of each table of the store. */
function hashes(): Promise<Record<string, string | null>> {
  return withDatabase(async (db) => {
    const found: Record<string, string | null> = {}
    for (const { name } of storeTables) {
      const exists = await sql`select from pg_class where oid = to_regclass(${name})`.execute(db)
      if (exists.rows.length === 0) continue
      const { rows } = await sql<{ hash: string | null }>`
        select md5(string_agg(store::text, '|' order by store::text)) as hash
        from ${sql.table(name)} as store`.execute(db)
      found[name] = rows[0]!.hash
    }
    return found
  })
}

test('a Citus without workers is refused', async () => {
  expect(await hearthIn(lone, 'distribute')).toEqual({
    code: 1,
    out: '',
    err: 'Citus has no workers: add them with "select citus_add_node(…)" on the coordinator first.',
  })
})

test('a dry run says what would be done and does nothing', async () => {
  const { code, out } = await hearthIn(full, 'distribute', '--dry-run')
  expect(code).toBe(0)
  expect(out).toContain('1. Drop the foreign key mentions_room_id_fkey of mentions to rooms.\n')
  expect(out).toContain('. Distribute reactions by room_id, beside messages.\n')
  expect(out).toContain('Nothing was done: ')
  expect(await withDatabase(async (db) => (await sql`select 1`.execute(db)) && isDistributed(db))).toBe(false)
  const { out: json } = await hearthIn(full, 'distribute', '--dry-run', '--json')
  expect(JSON.parse(json)).toMatchObject({ done: false, rows: { messages: 4000, pins: 400 } })
})

test('a unique key without the column of distribution is refused by its name', async () => {
  await withDatabase((db) => sql`create unique index messages_odd on messages (author_id, id)`.execute(db))
  expect((await hearthIn(full, 'distribute')).err).toBe(
    'These unique keys lack the column that their table is distributed by: messages_odd.',
  )
  await withDatabase((db) => sql`drop index messages_odd`.execute(db))
})

test('a database that a server uses is refused', async () => {
  const node = await claimNodeNumber(full.DATABASE_URL, { assign: () => {} })
  const { err } = await hearthIn(full, 'distribute')
  await node.release()
  expect(err).toBe('A server runs on this database: stop it first.')
})

test('distributing keeps every row, lets no server start meanwhile, and is done once', async () => {
  const before = await hashes()
  const { distributing, start } = await withDatabase((db) =>
    db.transaction().execute(async (trx) => {
      await sql`lock table pins in row exclusive mode`.execute(trx)
      const distributing = hearthIn(full, 'distribute')
      const waiting = sql`select from pg_locks where relation = 'pins'::regclass and not granted`
      await expect.poll(async () => (await waiting.execute(trx)).rows.length).toBe(1)
      return { distributing, start: await failToStart(folder, { DATABASE_URL: full.DATABASE_URL }) }
    }),
  )
  expect(start).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^No process can start now: a command is running .*\n$/),
  })
  const { code, out } = await distributing
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/The message store is distributed: \d+ rows in \d tables\.$/),
  ])
  expect(await hashes()).toEqual(before)
  expect(Object.values(before)).not.toContain(null)
  expect(await hearthIn(full, 'distribute')).toEqual({
    code: 1,
    out: '',
    err: 'The message store is distributed already.',
  })
})

test('rows are on both workers, and what one room has is on one shard', async () => {
  await withDatabase(async (db) => {
    const { rows } = await sql<{ table: string; workers: number; groups: number }>`
      select table_name::text as table, count(distinct nodeport)::int as workers,
        count(distinct colocation_id)::int as groups
      from citus_shards where citus_table_type = 'distributed' group by 1`.execute(db)
    expect(rows.every((row) => row.workers === 2 && row.groups === 1)).toBe(true)
    const groups = await sql<{ groups: number }>`
      select count(distinct colocationid)::int as groups from pg_dist_partition`.execute(db)
    expect(groups.rows[0]!.groups).toBe(2)
  })
})

test('a distributed database has nothing to migrate', async () => {
  expect((await hearthIn(full, 'migrate')).out).toBe('The database is in the form of this version already.')
})

test('a later migration may change a distributed table', async () => {
  await withDatabase(async (db) => {
    await db.transaction().execute(async (trx) => {
      await sql`alter table messages add column later boolean not null default false`.execute(trx)
      await sql`create index messages_later on messages (room_id) where later`.execute(trx)
    })
    const { rows } = await sql`select later from messages where room_id = 1 and id = 40`.execute(db)
    expect(rows).toEqual([{ later: false }])
  })
})

test('a pool finds the distribution by itself, and keeps plans only where they serve', async () => {
  expect(isDistributed(distributed)).toBe(true)
  await distributed.connection().execute(async (on) => {
    for (let n = 0; n < 8; n += 1) {
      await sql`select id from users where id = ${n}`.execute(on)
      await sql`select id from messages where room_id = any(${[n]}::bigint[])`.execute(on)
    }
    const { rows } = await sql<{ is_plain: boolean; keeps: boolean }>`
      select statement like '%users%' as is_plain, generic_plans > 0 as keeps from pg_prepared_statements
      where statement like 'select id from %' order by is_plain`.execute(on)
    expect(rows).toEqual([
      { is_plain: false, keeps: false },
      { is_plain: true, keeps: true },
    ])
  })
  await distributed.transaction().execute(async (trx) => expect(isDistributed(trx)).toBe(true))
})
