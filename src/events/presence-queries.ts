import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { listServing } from '../database/node-number.ts'
import { presenceScope } from './events.ts'
import { addPresenceChange, type PresenceChanges } from './presence.ts'

/** The advisory lock of changes of presence, exclusive, and of what lets users see one another, shared ('PRES'). */
const presenceLock = 0x50524553

/** Keeps others from changing a presence, or widening who may see one, until the transaction ends. */
export async function lockPresences(trx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${presenceLock})`.execute(trx)
}

/**
 * Required when a member, friend or partner is added: a presence that changes later is sent to them, and a presence
 * that changed before is in the state that they are sent.
 */
export async function lockPresencesShared(trx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${presenceLock})`.execute(trx)
}

/** All users who are online. */
export async function listOnline(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('presences').select('user_id').distinct().execute()
  return rows.map((row) => row.user_id)
}

/** The numbers of the processes at which any of these users is online. */
export async function listNodesOf(db: Db, userIds: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('presences')
    .select('node')
    .distinct()
    .where('user_id', 'in', userIds)
    .execute()
  return rows.map((row) => row.node)
}

/** Inserts users at a process. Returns those who were online nowhere. */
export async function insertPresences(trx: Db, node: number, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<{ user_id: string }>`
    with added as (
      insert into presences (user_id, node) select id, ${node} from unnest(${userIds}::bigint[]) as asked (id)
      on conflict do nothing returning user_id
    )
    select user_id from added
    where not exists (select from presences where presences.user_id = added.user_id)`.execute(trx)
  return rows.map((row) => row.user_id)
}

/** Deletes users at a process. Returns those who are online nowhere now, whether or not they were before. */
export async function deletePresences(trx: Db, node: number, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<{ user_id: string }>`
    with deleted as (
      delete from presences where node = ${node} and user_id = any(${userIds}::bigint[])
    )
    select id as user_id from unnest(${userIds}::bigint[]) as asked (id) where not exists (
      select from presences where presences.user_id = asked.id and node <> ${node}
    )`.execute(trx)
  return rows.map((row) => row.user_id)
}

/** Counts the rows of a process, and says whether there are rows of processes that have ended. */
export async function countPresences(db: Db, node: number): Promise<{ own: number; hasEnded: boolean }> {
  const serving = await listServing(db)
  const { rows } = await sql<{ own: number; has_ended: boolean }>`
    select count(*) filter (where node = ${node})::integer as own,
      coalesce(bool_or(node <> all(${[...serving, node]}::integer[])), false) as has_ended
    from presences`.execute(db)
  return { own: rows[0]!.own, hasEnded: rows[0]!.has_ended }
}

/** Moves the rows of processes that have ended to one that serves. Returns the users of all its rows. */
export async function takeOverPresences(trx: Db, node: number): Promise<string[]> {
  const serving = await listServing(trx)
  await sql`
    with ended as (
      delete from presences where node <> all(${[...serving, node]}::integer[]) returning user_id
    )
    insert into presences (user_id, node) select distinct user_id, ${node}::integer from ended
    on conflict do nothing`.execute(trx)
  const rows = await trx.selectFrom('presences').select('user_id').where('node', '=', node).execute()
  return rows.map((row) => row.user_id)
}

/** The most entries of presences that are read: older changes are not known. */
const maxEntries = 5_000

/** The changes of presence in the log. */
export async function listPresenceChanges(db: Db): Promise<PresenceChanges> {
  const { rows } = await sql<{ trimmed_to: string; position: string | null; user_ids: string[] }>`
    select trimmed_to, changes.position, changes.user_ids
    from event_log left join lateral (
      select position, array(select event ->> 'user_id' from json_array_elements(events) as event) as user_ids
      from events where scope = ${presenceScope} and position is not null order by position desc limit ${maxEntries}
    ) as changes on true order by changes.position`.execute(db)
  const entries = rows.filter(({ position }) => position !== null)
  // The newest entry stays when the log is trimmed.
  const oldest = Number(entries[0]?.position ?? 0)
  const isAll = rows.length < maxEntries && oldest > Number(rows[0]?.trimmed_to ?? 0)
  const changes: PresenceChanges = { knownAfter: isAll ? 0 : oldest, positions: new Map() }
  for (const { position, user_ids } of entries)
    for (const id of user_ids) addPresenceChange(changes, id, Number(position))
  return changes
}
