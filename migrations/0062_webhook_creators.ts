import { type Kysely, sql } from 'kysely'

/** Present webhooks have no creator, and work whoever leaves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhooks
    add column creator_id bigint constraint webhooks_creator references users (id)`.execute(db)
  await sql`comment on column webhooks.creator_id is
    'who made its present address: it works while they may manage it; null for one older than this column'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhooks drop column creator_id`.execute(db)
}
