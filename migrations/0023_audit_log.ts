import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_log (
      house_id bigint not null,
      id bigint not null,
      actor_id bigint not null,
      action text not null,
      target_type text,
      target_id text,
      changes jsonb not null,
      reason text,
      primary key (house_id, id)
    )`.execute(db)
  await sql`create index audit_log_by_actor on audit_log (house_id, actor_id, id)`.execute(db)
  await sql`create index audit_log_by_action on audit_log (house_id, action, id)`.execute(db)
  await sql`create index audit_log_by_age on audit_log (id)`.execute(db)
  await sql`comment on column audit_log.house_id is
    'no foreign key: the entries of a deleted house go with their age, not in the statement that deletes it'`.execute(
    db,
  )
  await sql`comment on column audit_log.actor_id is 'a user; accounts are never removed, only emptied, so no foreign key'`.execute(
    db,
  )
  await sql`comment on column audit_log.changes is 'a list of {key, old, new}'`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table audit_log`.execute(db)
}
