import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reactions (
      room_id bigint not null,
      message_id bigint not null,
      emoji text not null,
      user_id bigint not null,
      primary key (room_id, message_id, emoji, user_id)
    )`.execute(db)
  await sql`comment on column reactions.user_id is 'accounts are never removed, only emptied, so no foreign key'`.execute(
    db,
  )
  await sql`comment on table reactions is
    'deleted with their messages, so that the deletion of a room need not wait for that'`.execute(db)
  await sql`
    create table reaction_counts (
      room_id bigint not null,
      message_id bigint not null,
      emoji text not null,
      count integer not null check (count > 0),
      place integer not null,
      primary key (room_id, message_id, emoji)
    )`.execute(db)
  await sql`comment on table reaction_counts is
    'the rows of reactions by message and emoji; changed while the message is locked'`.execute(db)
  await sql`comment on column reaction_counts.place is 'rises in the order in which emoji were first used'`.execute(
    db,
  )
  await sql`
    create table pins (
      room_id bigint not null references rooms (id) on delete cascade,
      message_id bigint not null,
      pinned_at timestamptz not null default clock_timestamp(),
      primary key (room_id, message_id)
    )`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table pins, reaction_counts, reactions`.execute(db)
}
