import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { type CompactUserRow, compactUserSelection } from '../users/queries.ts'

/** A block (5) or restriction (4), by the one who has set it. */
export type BlockRow = { user_id: string; type: number }

/** What another user is to one: types 1–5, and since when. */
export type Relation = { type: number; last_updated_at: Date }

/** Every relation of a user, by the other's id: never two with the same other, none of type 0. */
function relationsOf(userId: string) {
  return sql`(
    select target_id as other_id, type::int as type, created_at as last_updated_at
      from blocks where user_id = ${userId}
    union all select user_high, 3, created_at from friendships where user_low = ${userId}
    union all select user_low, 3, created_at from friendships where user_high = ${userId}
    union all select to_id, 1, created_at from friend_requests where from_id = ${userId}
    union all select from_id, 2, created_at from friend_requests where to_id = ${userId}
  ) as relations`
}

/** What one user is to another, or undefined when nothing. */
export async function findRelation(db: Db, userId: string, otherId: string): Promise<Relation | undefined> {
  const { rows } = await sql<Relation>`
    select type, last_updated_at from ${relationsOf(userId)} where other_id = ${otherId}`.execute(db)
  return rows[0]
}

/** The most relations that are listed at once; only blocks from before they were limited can be more. */
const maxRelations = 5_000

/**
 * The relations of a user (types 1–5) with the ids of the others: friends first, then blocks, restrictions, the user's
 * requests, and those of others; of each the latest first.
 */
export async function listRelations(db: Db, userId: string): Promise<(Relation & { other_id: string })[]> {
  const { rows } = await sql<Relation & { other_id: string }>`
    select other_id, type, last_updated_at from ${relationsOf(userId)}
    order by array_position(array[3, 5, 4, 1, 2], type), last_updated_at desc, other_id
    limit ${maxRelations}`.execute(db)
  return rows
}

/** Users in a list of relations. Nobody has more of a type, except blocks from before they were limited. */
const maxRelated = 1_000

/** The users who have a relation of this type to a user, by username: the first 1,000. */
export async function listRelated(db: Db, userId: string, type: number): Promise<CompactUserRow[]> {
  const { rows } = await sql<CompactUserRow>`
    select ${compactUserSelection} from ${relationsOf(userId)} join users on users.id = relations.other_id
    where relations.type = ${type}
    order by username collate "C" limit ${maxRelated}`.execute(db)
  return rows
}

/** The users whose request waits for a user, and those whose answer they wait for, by username. */
export async function listFriendRequests(db: Db, userId: string): Promise<(CompactUserRow & Relation)[]> {
  const { rows } = await sql<CompactUserRow & Relation>`
    select ${compactUserSelection}, relations.type, relations.last_updated_at
    from ${relationsOf(userId)} join users on users.id = relations.other_id
    where relations.type in (1, 2)
    order by username collate "C"`.execute(db)
  return rows
}

/** The friends two users have in common, by username. */
export async function listMutualFriends(db: Db, one: string, other: string): Promise<CompactUserRow[]> {
  const { rows } = await sql<CompactUserRow>`
    select ${compactUserSelection} from users
    where id in (select other_id from ${relationsOf(one)} where type = 3)
      and id in (select other_id from ${relationsOf(other)} where type = 3)
    order by username collate "C"`.execute(db)
  return rows
}

/** The most friends and open requests, both directions together, that one of these users has. */
export async function countRelationships(db: Db, userIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ most: number }>`
    select max((select count(*) from friendships where user_low = id)
      + (select count(*) from friendships where user_high = id)
      + (select count(*) from friend_requests where from_id = id)
      + (select count(*) from friend_requests where to_id = id))::integer as most
    from unnest(${userIds}::bigint[]) as wanted (id)`.execute(db)
  return rows[0]!.most
}

/** How many users a user blocks (5) or restricts (4). */
export async function countBlocks(db: Db, userId: string, type: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from blocks where user_id = ${userId} and type = ${type}`.execute(db)
  return rows[0]!.count
}

/** The blocks and restrictions between a user and others, in both directions. */
export async function listBlocksBetween(
  db: Db,
  userId: string,
  otherIds: readonly string[],
): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    select user_id, type from blocks
    where user_id = ${userId} and target_id = any(${otherIds}::bigint[])
    union all
    select user_id, type from blocks
    where target_id = ${userId} and user_id = any(${otherIds}::bigint[])`.execute(db)
  return rows
}
