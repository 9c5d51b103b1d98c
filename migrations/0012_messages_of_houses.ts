import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column house_id bigint`.execute(db)
  await sql`comment on column messages.house_id is
    'that of the room; null in a private room'`.execute(db)
  await sql`
    update messages set house_id = rooms.house_id from rooms
    where rooms.id = messages.room_id and rooms.house_id is not null`.execute(db)
  await sql`
    create index messages_by_house on messages (house_id, id) include (room_id) where house_id is not null`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages drop column house_id`.execute(db)
}
