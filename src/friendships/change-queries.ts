import { sql } from 'kysely'
import type { Db } from '../database/client.ts'

type Since = { last_updated_at: Date }

/** The clock of the statement, not of the transaction: read under the locks, it is later for a later change. */
const statementTime = sql<Date>`clock_timestamp()`

/** Inserts a friend request. The pair has none in either direction. */
export function insertFriendRequest(db: Db, fromId: string, toId: string): Promise<Since> {
  return db
    .insertInto('friend_requests')
    .values({ from_id: fromId, to_id: toId, created_at: statementTime })
    .returning('created_at as last_updated_at')
    .executeTakeFirstOrThrow()
}

/** Deletes the friend request between two users, in either direction. Returns whether there was one. */
export async function deleteFriendRequest(db: Db, one: string, other: string): Promise<boolean> {
  const { rows } = await sql`
    delete from friend_requests
    where (from_id = ${one} and to_id = ${other}) or (from_id = ${other} and to_id = ${one})
    returning from_id`.execute(db)
  return rows.length > 0
}

/** Inserts a friendship. */
export async function insertFriendship(db: Db, one: string, other: string): Promise<Since> {
  const { rows } = await sql<Since>`
    insert into friendships (user_low, user_high, created_at)
    values (least(${one}::bigint, ${other}::bigint), greatest(${one}::bigint, ${other}::bigint), ${statementTime})
    returning created_at as last_updated_at`.execute(db)
  return rows[0]!
}

/** Deletes a friendship. Returns whether there was one. */
export async function deleteFriendship(db: Db, one: string, other: string): Promise<boolean> {
  const { rows } = await sql`
    delete from friendships
    where user_low = least(${one}::bigint, ${other}::bigint)
      and user_high = greatest(${one}::bigint, ${other}::bigint)
    returning user_low`.execute(db)
  return rows.length > 0
}

/** Inserts a block (5) or restriction (4), in place of the other type. */
export function upsertBlock(db: Db, userId: string, targetId: string, type: number): Promise<Since> {
  return db
    .insertInto('blocks')
    .values({ user_id: userId, target_id: targetId, type, created_at: statementTime })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'target_id']).doUpdateSet({ type, created_at: statementTime }),
    )
    .returning('created_at as last_updated_at')
    .executeTakeFirstOrThrow()
}

/** Deletes a block (5) or restriction (4). Returns whether there was one of that type. */
export async function deleteBlock(db: Db, userId: string, targetId: string, type: number): Promise<boolean> {
  const row = await db
    .deleteFrom('blocks')
    .where('user_id', '=', userId)
    .where('target_id', '=', targetId)
    .where('type', '=', type)
    .returning('type')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes all relations of a user. Returns the ids, ascending, of the users who had a relation to this one. */
export async function deleteRelationships(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ended_friendships as (
      delete from friendships where user_low = ${userId} or user_high = ${userId} returning *
    ), ended_requests as (
      delete from friend_requests where from_id = ${userId} or to_id = ${userId} returning *
    ), ended_blocks as (
      delete from blocks where user_id = ${userId} or target_id = ${userId} returning *
    )
    select case when user_low = ${userId} then user_high else user_low end as id from ended_friendships
    union select case when from_id = ${userId} then to_id else from_id end from ended_requests
    union select user_id from ended_blocks where target_id = ${userId}
    order by id`.execute(db)
  return rows.map((row) => row.id)
}
