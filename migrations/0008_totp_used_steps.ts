import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column totp_used_steps integer[] not null default '{}'`.execute(db)
  await sql`update users set totp_used_steps = array[totp_last_step] where totp_last_step is not null`.execute(
    db,
  )
  await sql`alter table users drop column totp_last_step`.execute(db)
  await sql`comment on column users.totp_used_steps is 'the 30 s steps whose codes were used, of the last three'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table users add column totp_last_step bigint`.execute(db)
  await sql`update users set totp_last_step = (select max(step) from unnest(totp_used_steps) step)`.execute(
    db,
  )
  await sql`alter table users drop column totp_used_steps`.execute(db)
}
