import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column totp_earlier_steps integer[] not null default '{}'`.execute(db)
  await sql`comment on column users.totp_last_step is 'the latest 30 s step whose code was used'`.execute(db)
  await sql`comment on column users.totp_earlier_steps is 'of the two steps before it, those whose code was used'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users drop column totp_earlier_steps`.execute(db)
}
