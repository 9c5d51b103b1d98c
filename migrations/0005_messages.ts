import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table messages (
      room_id bigint not null references rooms (id) on delete cascade,
      id bigint not null,
      author_id bigint not null,
      device_id bigint not null,
      content text not null,
      mentions bigint[] not null default '{}',
      edited_at timestamptz,
      exploding_age integer,
      expires_at timestamptz,
      nonce text,
      attachment jsonb,
      primary key (room_id, id)
    )`.execute(db)
  await sql`
    create unique index messages_one_per_nonce on messages (room_id, author_id, nonce) where nonce is not null`.execute(
    db,
  )
  await sql`create index messages_by_expiry on messages (expires_at) where expires_at is not null`.execute(db)
  await sql`create index messages_search on messages using gin (to_tsvector('simple', content))`.execute(db)
  await sql`comment on column messages.author_id is 'a user; accounts are never removed, only emptied, so no foreign key'`.execute(
    db,
  )
  await sql`comment on column messages.device_id is 'the login session that sent it, which may have ended since'`.execute(
    db,
  )
  await sql`comment on column messages.mentions is 'mentioned users in order of first appearance'`.execute(db)
  await sql`comment on column messages.expires_at is 'when an exploding message is gone; every query filters by it'`.execute(
    db,
  )
  await sql`comment on column messages.attachment is
    'null, or {key, filename, content_type, size, dimensions}: the store has it under the room id and the key'`.execute(
    db,
  )

  await sql`
    create table mentions (
      user_id bigint not null,
      message_id bigint not null,
      room_id bigint not null references rooms (id) on delete cascade,
      author_id bigint not null,
      expires_at timestamptz,
      primary key (user_id, message_id)
    )`.execute(db)
  await sql`create index mentions_by_message on mentions (room_id, message_id)`.execute(db)
  await sql`create index mentions_by_room on mentions (user_id, room_id, message_id)`.execute(db)
  await sql`comment on table mentions is 'the inbox of each user; expires_at is that of the message'`.execute(
    db,
  )

  await sql`
    create table read_states (
      user_id bigint not null references users (id) on delete cascade,
      room_id bigint not null references rooms (id) on delete cascade,
      message_id bigint not null,
      primary key (user_id, room_id)
    )`.execute(db)
  await sql`create index read_states_by_room on read_states (room_id)`.execute(db)

  await sql`
    create table discarded_files (
      name text primary key,
      discarded_at timestamptz not null default now()
    )`.execute(db)
  await sql`comment on table discarded_files is
    'files to be erased once they are due: those no longer in use, and those whose upload may have been given up'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table discarded_files, read_states, mentions, messages`.execute(db)
}
