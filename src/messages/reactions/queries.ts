import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { type CompactUserRow, findCompactUsers } from '../../users/queries.ts'
import { newestFirst, type Page, selectPage } from '../read/page-queries.ts'

/** An emoji on a message. */
export type ReactionKey = { room_id: string; message_id: string; emoji: string }

/** The emoji of a message: how many there are, and how many users have reacted with one of them, a user among them or not. */
type ReactionState = { emojis: number; count: number; me: boolean }

/** The reactions to a message as they are; it is locked, so that they do not change until the transaction ends. */
export async function getReactionState(db: Db, key: ReactionKey, userId: string): Promise<ReactionState> {
  const { room_id, message_id, emoji } = key
  const { rows } = await sql<ReactionState>`
    select count(*)::integer as emojis, coalesce(max(count) filter (where emoji = ${emoji}), 0) as count,
      exists (
        select 1 from reactions
        where room_id = ${room_id} and message_id = ${message_id} and emoji = ${emoji} and user_id = ${userId}
      ) as me
    from reaction_counts where room_id = ${room_id} and message_id = ${message_id}`.execute(db)
  return rows[0]!
}

/** Adds a reaction that is not there to a locked message. */
export async function insertReaction(db: Db, key: ReactionKey, userId: string): Promise<void> {
  const { room_id, message_id, emoji } = key
  await sql`
    with added as (
      insert into reactions (room_id, message_id, emoji, user_id)
      values (${room_id}, ${message_id}, ${emoji}, ${userId})
    )
    insert into reaction_counts (room_id, message_id, emoji, count, place)
    select ${room_id}, ${message_id}, ${emoji}, 1, coalesce(max(place), 0) + 1
    from reaction_counts where room_id = ${room_id} and message_id = ${message_id}
    on conflict (room_id, message_id, emoji) do update set count = reaction_counts.count + 1`.execute(db)
}

/** Removes a reaction that is there from a locked message; `count` is how many users have reacted with the emoji. */
export async function deleteReaction(
  db: Db,
  key: ReactionKey,
  { userId, count }: { userId: string; count: number },
): Promise<void> {
  const { room_id, message_id, emoji } = key
  const counted = sql`room_id = ${room_id} and message_id = ${message_id} and emoji = ${emoji}`
  const change =
    count === 1
      ? sql`delete from reaction_counts where ${counted}`
      : sql`update reaction_counts set count = count - 1 where ${counted}`
  await sql`
    with gone as (
      delete from reactions where ${counted} and user_id = ${userId}
    ) ${change}`.execute(db)
}

/** A page of the users who have reacted with an emoji, by id, greatest first. */
export async function listReactors(db: Db, key: ReactionKey, page: Page): Promise<CompactUserRow[]> {
  const { room_id, message_id, emoji } = key
  const reactors = sql`
    select user_id as id from reactions
    where room_id = ${room_id} and message_id = ${message_id} and emoji = ${emoji}`
  const { rows } = await selectPage<{ id: string }>(reactors, sql.ref('user_id'), page).execute(db)
  const people = await findCompactUsers(
    db,
    rows.map((row) => row.id),
  )
  return rows.sort(newestFirst).map((row) => people.get(row.id)!)
}
