import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { type RoomAccessRow, selectRoomAccess } from '../rooms/queries.ts'
import { type Page, selectPage } from './page-queries.ts'

/** The mentions of a page that lie in one room, with what decides whether the mentioned user can read it. */
export type RoomMentionsRow = RoomAccessRow & { message_ids: string[] }

/** A mention is there and comes of nobody the user has blocked or restricted. */
const counts = sql`(mentions.expires_at is null or mentions.expires_at > now())
  and not exists (select from blocks where blocks.user_id = mentions.user_id and target_id = author_id)`

/**
 * A page of a user's mentions, room by room: in rooms they are inside of (if they can read them is for
 * `rooms/permissions.ts` to say), but for those in `exceptRooms`.
 */
export async function listMentions(
  db: Db,
  userId: string,
  page: Page,
  exceptRooms: readonly string[],
): Promise<RoomMentionsRow[]> {
  const isInside = sql`exists (
    select from rooms where rooms.id = mentions.room_id and (
      exists (select from members where members.house_id = rooms.house_id and members.user_id = ${userId})
      or exists (select from room_recipients where room_recipients.room_id = rooms.id
        and room_recipients.user_id = ${userId})))`
  const select = sql`
    select message_id, room_id from mentions
    where user_id = ${userId} and ${counts} and ${isInside} and room_id <> all(${exceptRooms}::bigint[])`
  const access = selectRoomAccess(
    sql`(select room_id, ${userId}::bigint as user_id, 0 as place from ids) as wanted`,
  )
  const { rows } = await sql<RoomMentionsRow>`
    with page as materialized (${selectPage(select, sql.ref('message_id'), page)}),
      ids as (select room_id, array_agg(message_id) as message_ids from page group by room_id)
    select access.*, ids.message_ids from ids join (${access}) as access on access.room_id = ids.room_id
  `.execute(db)
  return rows
}

/** The access of a user to every room they are mentioned in, found by leaping over the mentions room by room. */
export async function listMentionRooms(db: Db, userId: string): Promise<RoomAccessRow[]> {
  const next = (after: ReturnType<typeof sql>) =>
    sql`(select room_id from mentions where user_id = ${userId} and room_id > ${after} order by room_id limit 1)`
  const { rows } = await sql<RoomAccessRow>`
    with recursive leaps as (
      select ${next(sql`0`)} as room_id
      union all select ${next(sql`leaps.room_id`)} from leaps where room_id is not null
    )
    ${selectRoomAccess(sql`(select room_id, ${userId}::bigint as user_id, 0 as place from leaps) as wanted`)}
  `.execute(db)
  return rows
}
