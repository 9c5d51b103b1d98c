import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table house_retention (
      house_id bigint primary key references houses (id) on delete cascade,
      max_age integer not null constraint house_retention_of_an_hour check (max_age >= 3600)
    )`.execute(db)
  await sql`comment on table house_retention is 'the houses whose messages are deleted past an age of their own'`.execute(
    db,
  )
  await sql`comment on column house_retention.max_age is
    'in seconds; the shorter of it and MESSAGES_MAX_AGE holds'`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table house_retention`.execute(db)
}
