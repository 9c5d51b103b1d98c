import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index messages_search_by_time on messages using gin ((
      to_tsvector('simple', content) || array_to_tsvector(array[
        'room ' || room_id::text, 'author ' || author_id::text,
        'hours ' || coalesce(house_id, room_id)::text || ' ' || (id >> 45)::text,
        'days ' || coalesce(house_id, room_id)::text || ' ' || (id >> 51)::text])))`.execute(db)
  await sql`comment on index messages_search_by_time is
    'room, author and two spans of time of the house or private room are words as well, with a space, which no word of a content has'`.execute(
    db,
  )
  await sql`drop index messages_search_in_rooms`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index messages_search_in_rooms on messages using gin ((
      to_tsvector('simple', content)
        || array_to_tsvector(array['room ' || room_id::text, 'author ' || author_id::text])))`.execute(db)
  await sql`drop index messages_search_by_time`.execute(db)
}
