import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index members_by_joining on members (house_id, joined_at, user_id)`.execute(db)
  await sql`create index users_by_username_start on users (username text_pattern_ops)`.execute(db)
  await sql`create index users_by_name_start on users (lower(name) text_pattern_ops)`.execute(db)
  await sql`create index messages_with_attachment on messages (room_id, id) where attachment is not null`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop index messages_with_attachment, users_by_name_start, users_by_username_start, members_by_joining`.execute(
    db,
  )
}
