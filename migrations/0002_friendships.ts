import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table friendships (
      user_low bigint not null references users (id) on delete cascade,
      user_high bigint not null references users (id) on delete cascade,
      created_at timestamptz not null default now(),
      primary key (user_low, user_high),
      constraint friendships_one_row_per_pair check (user_low < user_high)
    )`.execute(db)
  await sql`create index friendships_by_high on friendships (user_high)`.execute(db)

  await sql`
    create table friend_requests (
      from_id bigint not null references users (id) on delete cascade,
      to_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null default now(),
      primary key (from_id, to_id),
      constraint friend_requests_not_oneself check (from_id <> to_id)
    )`.execute(db)
  await sql`create index friend_requests_by_receiver on friend_requests (to_id)`.execute(db)
  await sql`
    create unique index friend_requests_one_per_pair
      on friend_requests (least(from_id, to_id), greatest(from_id, to_id))`.execute(db)

  await sql`
    create table blocks (
      user_id bigint not null references users (id) on delete cascade,
      target_id bigint not null references users (id) on delete cascade,
      type smallint not null constraint blocks_type check (type in (4, 5)),
      created_at timestamptz not null default now(),
      primary key (user_id, target_id),
      constraint blocks_not_oneself check (user_id <> target_id)
    )`.execute(db)
  await sql`create index blocks_by_target on blocks (target_id)`.execute(db)
  await sql`comment on column blocks.type is 'as a relationship: 4 restricted, 5 blocked'`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table blocks, friend_requests, friendships`.execute(db)
}
