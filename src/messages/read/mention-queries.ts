import { type RawBuilder, sql } from 'kysely'
import { prepareTupleRead } from '../../database/batching/reads.ts'
import type { Db } from '../../database/client.ts'
import { type Page, preparePages, selectPage } from './page-queries.ts'

/** A mention. Columns are read by index. */
export type MentionRow = [message_id: string, room_id: string, author_id: string]

/** What a page of mentions leaves out. */
export type Excluded = { rooms: readonly string[]; authors: readonly string[] }

type MentionsPage = Page & { user_id: string } & Excluded

function prepareMentions(elsewhere: (page: MentionsPage) => RawBuilder<unknown>) {
  return preparePages((page: MentionsPage) => {
    const select = sql`
      select message_id, room_id, author_id from mentions
      where user_id = ${page.user_id} and (expires_at is null or expires_at > now()) ${elsewhere(page)}`
    return selectPage<MentionRow>(select, sql.ref('message_id'), page)
  }, prepareTupleRead)
}

const readMentions = prepareMentions(() => sql``)
// A separate statement: with the condition, PostgreSQL plans for a user whose rooms with mentions are all excluded.
const readMentionsElsewhere = prepareMentions(
  ({ rooms, authors }) => sql`
    and room_id <> all(${rooms}::bigint[]) and author_id <> all(${authors}::bigint[])`,
)

/** A page of a user's mentions, in no order. The caller checks the access to the rooms, and who is blocked. */
export function listMentions(
  db: Db,
  user_id: string,
  page: Page,
  excluded: Excluded = { rooms: [], authors: [] },
): Promise<MentionRow[]> {
  const { rooms, authors } = excluded
  const read = rooms.length + authors.length === 0 ? readMentions : readMentionsElsewhere
  return read(db, { user_id, rooms, authors, ...page })
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

/** The ids of all rooms that a user is mentioned in. */
export async function listMentionRoomIds(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ room_id: string }>`
    with recursive ${mentionRoomsOf(userId)}
    select room_id from mention_rooms where room_id is not null`.execute(db)
  return rows.map((row) => row.room_id)
}
