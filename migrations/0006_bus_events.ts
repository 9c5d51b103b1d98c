import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table bus_events (
      id bigint generated always as identity primary key,
      sender text not null,
      payload text not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`comment on table bus_events is
    'events on their way between processes that share no Redis; a minute old at most, and lost in a crash as a pub/sub would'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table bus_events`.execute(db)
}
