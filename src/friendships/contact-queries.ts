import { sql } from 'kysely'
import { coalesce } from '../database/batching/coalesce.ts'
import type { Db } from '../database/client.ts'

/** A friend or private-room partner of a user, and whether the user has blocked them. */
type Contact = { user_id: string; is_blocked: boolean }

/** The friends and private-room partners of each of these users. */
export async function listContactsOfEach(db: Db, userIds: readonly string[]): Promise<Contact[][]> {
  const { rows } = await sql<Contact & { owner_id: string }>`
    select contacts.owner_id, contacts.user_id, exists (
        select from blocks
        where blocks.user_id = contacts.owner_id and target_id = contacts.user_id and type = 5
      ) as is_blocked
    from (
      select user_low as owner_id, user_high as user_id from friendships where user_low = any(${userIds}::bigint[])
      union select user_high, user_low from friendships where user_high = any(${userIds}::bigint[])
      union select own.user_id, other.user_id from room_recipients as own
        join room_recipients as other on other.room_id = own.room_id and other.user_id <> own.user_id
        where own.user_id = any(${userIds}::bigint[])
    ) as contacts`.execute(db)
  const byOwner = Map.groupBy(rows, (row) => row.owner_id)
  return userIds.map((id) => byOwner.get(id) ?? [])
}

/** The friends and private-room partners of a user. Coalesced. */
export const listContacts = coalesce(listContactsOfEach)

/** Those of these users who have blocked a user. */
export async function listBlockersAmong(
  db: Db,
  userId: string,
  otherIds: readonly string[],
): Promise<string[]> {
  if (otherIds.length === 0) return []
  const { rows } = await sql<{ user_id: string }>`
    select user_id from blocks
    where target_id = ${userId} and type = 5 and user_id = any(${otherIds}::bigint[])`.execute(db)
  return rows.map((row) => row.user_id)
}

type PresencePair = { user_id: string; viewer_id: string }

/**
 * Prevents a plan that reads whole tables: an `exists` with an `offset` is looked up pair by pair over the indexes,
 * whatever the statistics say.
 */
const pairByPair = sql`offset 0`

/**
 * The pairs in which the viewer may see the user's presence: they are friends or share a house or a private room, and
 * the user has not blocked the viewer (docs/gateway.md#presence).
 */
export async function listVisiblePairs(db: Db, pairs: readonly PresencePair[]): Promise<PresencePair[]> {
  if (pairs.length === 0) return []
  const { rows } = await sql<PresencePair>`
    select wanted.user_id, wanted.viewer_id
    from unnest(${pairs.map((pair) => pair.user_id)}::bigint[], ${pairs.map((pair) => pair.viewer_id)}::bigint[])
      as wanted (user_id, viewer_id)
    where wanted.user_id <> wanted.viewer_id
      and not exists (select from blocks where blocks.user_id = wanted.user_id
        and target_id = wanted.viewer_id and type = 5 ${pairByPair})
      and (exists (select from friendships where user_low = least(wanted.user_id, wanted.viewer_id)
          and user_high = greatest(wanted.user_id, wanted.viewer_id) ${pairByPair})
        or exists (select from members as theirs join members as own on own.house_id = theirs.house_id
          where theirs.user_id = wanted.user_id and own.user_id = wanted.viewer_id ${pairByPair})
        or exists (select from room_recipients as theirs join room_recipients as own on own.room_id = theirs.room_id
          where theirs.user_id = wanted.user_id and own.user_id = wanted.viewer_id ${pairByPair}))`.execute(
    db,
  )
  return rows
}
