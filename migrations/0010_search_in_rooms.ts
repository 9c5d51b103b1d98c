import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index messages_search_in_rooms on messages using gin ((
      to_tsvector('simple', content)
        || array_to_tsvector(array['room ' || room_id::text, 'author ' || author_id::text])))`.execute(db)
  await sql`comment on index messages_search_in_rooms is
    'room and author are words as well, with a space, which no word of a content has'`.execute(db)
  await sql`drop index messages_search`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`create index messages_search on messages using gin (to_tsvector('simple', content))`.execute(db)
  await sql`drop index messages_search_in_rooms`.execute(db)
}
