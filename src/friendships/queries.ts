import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { type CompactUserRow, compactUserSelection } from '../users/queries.ts'

/** A block (5) or restriction (4); `user_id` has set it. */
export type BlockRow = { user_id: string; type: number }

/** The relation of a user to another one: type 1 to 5, and the time of its last change. */
export type Relation = { type: number; last_updated_at: Date }

/** All relations of a user with the id of the other user: at most one for each, none of type 0. */
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

/** The relation of a user to another one, or undefined. */
export async function findRelation(db: Db, userId: string, otherId: string): Promise<Relation | undefined> {
  const { rows } = await sql<Relation>`
    select type, last_updated_at from ${relationsOf(userId)} where other_id = ${otherId}`.execute(db)
  return rows[0]
}

/** Relations in a list. Only a user with blocks from before their limit can have more. */
const maxRelations = 5_000

/**
 * The relations of a user (types 1 to 5) with the ids of the others: friends, blocks, restrictions, outgoing requests,
 * incoming requests; each by the time of the last change, latest first.
 */
export async function listRelations(db: Db, userId: string): Promise<(Relation & { other_id: string })[]> {
  const { rows } = await sql<Relation & { other_id: string }>`
    select other_id, type, last_updated_at from ${relationsOf(userId)}
    order by array_position(array[3, 5, 4, 1, 2], type), last_updated_at desc, other_id
    limit ${maxRelations}`.execute(db)
  return rows
}

/** Users in a list of one type. Only a user with blocks from before their limit can have more. */
const maxRelated = 1_000

/** The users to whom a user has a relation of this type, by username: the first 1,000. */
export async function listRelated(db: Db, userId: string, type: number): Promise<CompactUserRow[]> {
  const { rows } = await sql<CompactUserRow>`
    select ${compactUserSelection} from ${relationsOf(userId)} join users on users.id = relations.other_id
    where relations.type = ${type}
    order by username collate "C" limit ${maxRelated}`.execute(db)
  return rows
}

/** The users with an open friend request from or to a user (types 1 and 2), by username. */
export async function listFriendRequests(db: Db, userId: string): Promise<(CompactUserRow & Relation)[]> {
  const { rows } = await sql<CompactUserRow & Relation>`
    select ${compactUserSelection}, relations.type, relations.last_updated_at
    from ${relationsOf(userId)} join users on users.id = relations.other_id
    where relations.type in (1, 2)
    order by username collate "C"`.execute(db)
  return rows
}

/** The friends that two users share, by username. */
export async function listMutualFriends(db: Db, one: string, other: string): Promise<CompactUserRow[]> {
  const { rows } = await sql<CompactUserRow>`
    select ${compactUserSelection} from users
    where id in (select other_id from ${relationsOf(one)} where type = 3)
      and id in (select other_id from ${relationsOf(other)} where type = 3)
    order by username collate "C"`.execute(db)
  return rows
}

/** The number of friends and open requests, both directions together, of the one of these users who has the most. */
export async function countRelationships(db: Db, userIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ most: number }>`
    select max((select count(*) from friendships where user_low = id)
      + (select count(*) from friendships where user_high = id)
      + (select count(*) from friend_requests where from_id = id)
      + (select count(*) from friend_requests where to_id = id))::integer as most
    from unnest(${userIds}::bigint[]) as wanted (id)`.execute(db)
  return rows[0]!.most
}

/** The number of users whom a user blocks (5) or restricts (4). */
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
