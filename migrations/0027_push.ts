import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table vapid_keys (
      is_only boolean primary key default true check (is_only),
      public_key text not null,
      private_key text not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`comment on table vapid_keys is
    'one row: the keys that identify the installation to push services, in base64url'`.execute(db)
  await sql`
    create table push_subscriptions (
      id bigint primary key,
      user_id bigint not null references users (id) on delete cascade,
      session_id bigint not null references sessions (id) on delete cascade,
      endpoint text not null,
      p256dh text not null,
      auth text not null,
      created_at timestamptz not null default now(),
      is_proven boolean not null default false,
      failures smallint not null default 0,
      paused_until timestamptz
    )`.execute(db)
  await sql`create unique index push_subscriptions_one_per_endpoint on push_subscriptions (endpoint)`.execute(
    db,
  )
  await sql`create index push_subscriptions_by_user on push_subscriptions (user_id)`.execute(db)
  await sql`create index push_subscriptions_by_session on push_subscriptions (session_id)`.execute(db)
  await sql`comment on column push_subscriptions.session_id is 'the login session that it ends with'`.execute(
    db,
  )
  await sql`comment on column push_subscriptions.p256dh is 'the public key of the browser, in base64url'`.execute(
    db,
  )
  await sql`comment on column push_subscriptions.auth is 'the secret of the browser, in base64url'`.execute(
    db,
  )
  await sql`comment on column push_subscriptions.is_proven is 'whether its endpoint has accepted the last push'`.execute(
    db,
  )
  await sql`comment on column push_subscriptions.failures is 'failed pushes in a row'`.execute(db)
  await sql`
    create table pushed_rooms (
      user_id bigint not null references users (id) on delete cascade,
      room_id bigint not null references rooms (id) on delete cascade,
      message_id bigint not null,
      count integer not null,
      primary key (user_id, room_id)
    )`.execute(db)
  await sql`create index pushed_rooms_by_room on pushed_rooms (room_id)`.execute(db)
  await sql`comment on table pushed_rooms is
    'rooms of which devices may show notifications: the newest message that was pushed, and how many were since they were closed'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table pushed_rooms, push_subscriptions, vapid_keys`.execute(db)
}
