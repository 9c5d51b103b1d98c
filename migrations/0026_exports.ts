import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table exports (
      user_id bigint primary key references users (id) on delete cascade,
      key text not null,
      requested_at timestamptz not null default now(),
      leased_until timestamptz,
      attempts smallint not null default 0,
      progress smallint not null default 0,
      expires_at timestamptz
    )`.execute(db)
  await sql`comment on table exports is 'the latest export of each account; the store has the file under the user id and the key'`.execute(
    db,
  )
  await sql`comment on column exports.leased_until is 'until when a process makes it, unless that one renews the lease'`.execute(
    db,
  )
  await sql`comment on column exports.progress is 'percent'`.execute(db)
  await sql`comment on column exports.expires_at is 'null until the file is ready'`.execute(db)
  await sql`create index exports_waiting on exports (requested_at) where expires_at is null`.execute(db)
  await sql`create index messages_by_author on messages (author_id, room_id, id)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index messages_by_author`.execute(db)
  await sql`drop table exports`.execute(db)
}
