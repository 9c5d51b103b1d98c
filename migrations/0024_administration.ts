import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column disabled boolean not null default false,
      add column admin boolean not null default false`.execute(db)
  await sql`comment on column users.disabled is 'the account has no login session and gets none'`.execute(db)
  await sql`
    create table server_audit_log (
      id bigint primary key,
      action text not null,
      actor_id bigint references users (id),
      target_id bigint,
      target_type text,
      changes jsonb not null
    )`.execute(db)
  await sql`comment on column server_audit_log.actor_id is 'null: a command of the operator'`.execute(db)
  await sql`comment on column server_audit_log.changes is 'list of {key, old, new}'`.execute(db)
  await sql`create index messages_with_files_by_author on messages (author_id) where attachment is not null`.execute(
    db,
  )
  await sql`create index messages_with_files_by_house on messages (house_id) where attachment is not null`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index messages_with_files_by_author, messages_with_files_by_house`.execute(db)
  await sql`drop table server_audit_log`.execute(db)
  await sql`alter table users drop column disabled, drop column admin`.execute(db)
}
