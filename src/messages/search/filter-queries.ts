import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** More people of one name are not searched for. */
const maxAuthors = 100

/**
 * The ids of the users with one of these user names, and of the members and webhooks of the house, or of the members of
 * the private room, with one of these names. `names` are in lower case.
 */
export async function findAuthorsByName(
  db: Db,
  { house_id, room_id, names }: { house_id: string | null; room_id: string | null; names: readonly string[] },
): Promise<string[]> {
  if (names.length === 0) return []
  const members =
    house_id === null
      ? sql`select user_id from room_recipients where room_id = ${room_id}`
      : sql`select user_id from members where house_id = ${house_id}
          union all select id from webhooks where house_id = ${house_id}`
  const { rows } = await sql<{ id: string }>`
    select id from users where username = any(${names}::text[])
    union
    select id from users where id in (${members}) and lower(name) = any(${names}::text[])
    limit ${sql.lit(maxAuthors)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The rooms among these that have one of these ids, or one of these names in lower case. */
export async function findRoomsByName(
  db: Db,
  roomIds: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from rooms where id = any(${roomIds}::bigint[])
      and (id::text = any(${names}::text[]) or lower(name) = any(${names}::text[]))`.execute(db)
  return rows.map(({ id }) => id)
}
