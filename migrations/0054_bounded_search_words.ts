import { type Kysely, type RawBuilder, sql } from 'kysely'

const everyWord = sql`to_tsvector('simple', content)`
/** A content of at most 400 bytes has at most 400 words. */
const boundedWords = sql`(case when octet_length(content) <= 400 then to_tsvector('simple', content)
  else array_to_tsvector((tsvector_to_array(to_tsvector('simple', content)))[:400]) end)`

/** Keeps the name of the index: processes of the version before empty its list of pending messages. */
async function replaceIndex(db: Kysely<unknown>, words: RawBuilder<unknown>, comment: string): Promise<void> {
  const { rows } = await sql<{ options: string }>`
    select coalesce('with (' || array_to_string(reloptions, ', ') || ')', '') as options
    from pg_class where oid = 'messages_search_by_time'::regclass`.execute(db)
  await sql`
    create index messages_search_new on messages using gin ((
      ${words} || array_to_tsvector(array[
        'room ' || room_id::text, 'author ' || author_id::text,
        'hours ' || coalesce(house_id, room_id)::text || ' ' || (id >> 45)::text,
        'days ' || coalesce(house_id, room_id)::text || ' ' || (id >> 51)::text])))
    ${sql.raw(rows[0]!.options)}`.execute(db)
  await sql`drop index messages_search_by_time`.execute(db)
  await sql`alter index messages_search_new rename to messages_search_by_time`.execute(db)
  await sql`comment on index messages_search_by_time is ${sql.lit(comment)}`.execute(db)
}

const otherWords =
  'room, author and two spans of time of the house or private room are words as well, with a space, which no word of a content has'

export async function up(db: Kysely<unknown>): Promise<void> {
  await replaceIndex(
    db,
    boundedWords,
    `up to 400 different words of a content, the first by their letters; ${otherWords}`,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await replaceIndex(db, everyWord, otherWords)
}
