import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table removed_rooms (room_id bigint primary key)`.execute(db)
  await sql`comment on table removed_rooms is
    'rooms that are deleted, but not yet their messages, which are deleted a few at a time'`.execute(db)
  await sql`alter table messages drop constraint messages_room_id_fkey`.execute(db)
  await sql`comment on column messages.room_id is
    'sending locks the room; without a foreign key, so that the deletion of a room need not wait for that of its messages'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`comment on column messages.room_id is null`.execute(db)
  await sql`delete from messages where room_id not in (select id from rooms)`.execute(db)
  await sql`
    alter table messages add constraint messages_room_id_fkey
      foreign key (room_id) references rooms (id) on delete cascade`.execute(db)
  await sql`drop table removed_rooms`.execute(db)
}
