import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { type RoomAccessRow, selectRoomAccess } from '../../rooms/queries.ts'
import { type Page, preparePages, selectPage } from './page-queries.ts'

/** The mentions of a page in one room, with the access of the mentioned user to it. */
export type RoomMentionsRow = RoomAccessRow & {
  /** Comma-separated. */
  message_ids: string
}

type MentionsPage = Page & { user_id: string; except_rooms: readonly string[] }

function prepareMentions(elsewhere: (page: MentionsPage) => RawBuilder<unknown>) {
  return preparePages((page: MentionsPage) => {
    const { user_id } = page
    // Does not depend on the mention: PostgreSQL evaluates it once.
    const blocked = sql`(select target_id from blocks where user_id = ${user_id})`
    const select = sql`
      select message_id, room_id from mentions
      where user_id = ${user_id} and (expires_at is null or expires_at > now())
        and author_id not in ${blocked} ${elsewhere(page)}`
    const wanted = sql`(
      select room_id, ${user_id}::bigint as user_id, string_agg(message_id::text, ',') as message_ids
      from (${selectPage(select, sql.ref('message_id'), page)}) as page group by room_id
    ) as wanted`
    return selectRoomAccess<{ message_ids: string }>(wanted, sql`wanted.message_ids`)
  })
}

const readMentions = prepareMentions(() => sql``)
// A separate statement: with the condition, PostgreSQL plans for a user whose rooms with mentions are all excluded.
const readMentionsElsewhere = prepareMentions(
  ({ except_rooms }) => sql`and room_id <> all(${except_rooms}::bigint[])`,
)

/**
 * A page of a user's mentions by room, without those in `exceptRooms` and those by users whom the user blocks or
 * restricts. The caller checks the access to the rooms (`rooms/permissions.ts`).
 */
export function listMentions(
  db: Db,
  user_id: string,
  page: Page,
  exceptRooms: readonly string[],
): Promise<RoomMentionsRow[]> {
  const read = exceptRooms.length === 0 ? readMentions : readMentionsElsewhere
  return read(db, { user_id, except_rooms: exceptRooms, ...page })
}

/**
 * A query `mention_rooms` for a `with recursive`: the ids of the rooms that a user is mentioned in, and a null. It is a
 * loose index scan: one probe per room, whatever the number of mentions.
 */
export function mentionRoomsOf(userId: string): RawBuilder<unknown> {
  const next = (after: RawBuilder<unknown>) =>
    sql`(select room_id from mentions where user_id = ${userId} and room_id > ${after} order by room_id limit 1)`
  return sql`
    mention_rooms as (
      select ${next(sql`0`)} as room_id
      union all select ${next(sql`mention_rooms.room_id`)} from mention_rooms where room_id is not null
    )`
}

/** The access of a user to every room they are mentioned in. */
export async function listMentionRooms(db: Db, userId: string): Promise<RoomAccessRow[]> {
  const wanted = sql`(select room_id, ${userId}::bigint as user_id from mention_rooms) as wanted`
  const { rows } = await sql<RoomAccessRow>`
    with recursive ${mentionRoomsOf(userId)} ${selectRoomAccess(wanted)}`.execute(db)
  return rows
}
