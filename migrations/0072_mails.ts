import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mails (
      user_id bigint not null references users (id) on delete cascade,
      kind text not null,
      email text not null,
      requested_at timestamptz not null default now(),
      due_at timestamptz not null,
      attempts smallint not null default 0,
      primary key (user_id, kind, email)
    )`.execute(db)
  await sql`create index mails_by_due on mails (due_at)`.execute(db)
  await sql`comment on table mails is 'mails that are not sent yet; what they say, codes included, is made when they are sent'`.execute(
    db,
  )
  await sql`comment on column mails.kind is 'the purpose of a code, or what the owner of the account is told'`.execute(
    db,
  )
  await sql`comment on column mails.due_at is 'when a process may take it: after a failed attempt, or if the process that sends it has died'`.execute(
    db,
  )

  await sql`
    alter table account_codes
      add column short_prefix text,
      add column short_hash bytea,
      add column attempts smallint not null default 0`.execute(db)
  await sql`create index account_codes_by_short_prefix on account_codes (short_prefix) where short_prefix is not null`.execute(
    db,
  )
  await sql`comment on column account_codes.short_prefix is 'the beginning of the short form of the code, by which its account is found; not secret'`.execute(
    db,
  )
  await sql`comment on column account_codes.short_hash is 'SHA-256 of code_hash and the short form'`.execute(
    db,
  )
  await sql`comment on column account_codes.attempts is 'how often somebody entered a short form with this beginning'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index account_codes_by_short_prefix`.execute(db)
  await sql`alter table account_codes drop column short_prefix, drop column short_hash, drop column attempts`.execute(
    db,
  )
  await sql`drop table mails`.execute(db)
}
