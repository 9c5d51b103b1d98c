import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhooks (
      id bigint primary key references users (id),
      house_id bigint not null references houses (id) on delete cascade,
      room_id bigint not null references rooms (id) on delete cascade,
      token_hash bytea not null
    )`.execute(db)
  await sql`create index webhooks_by_house on webhooks (house_id, id)`.execute(db)
  await sql`create index webhooks_by_room on webhooks (room_id)`.execute(db)
  await sql`comment on column webhooks.id is
    'its account, whose name and icon its messages show: a bot that owns itself, so that it is nobody''s'`.execute(
    db,
  )
  await sql`comment on column webhooks.token_hash is 'SHA-256 of the token; the token itself is not kept'`.execute(
    db,
  )
}

/** The accounts stay as bots without a login: their messages need an author. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table webhooks`.execute(db)
}
