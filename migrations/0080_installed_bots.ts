import { type Kysely, sql } from 'kysely'

/** Present bots were added by nobody that is known, and stay whoever loses a permission. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table members add column added_by bigint`.execute(db)
  await sql`comment on column members.added_by is
    'of a bot, who added it to the house: it leaves when they are removed or may no longer add bots; null where nobody did'`.execute(
    db,
  )
  await sql`create index members_installed on members (house_id, added_by) where added_by is not null`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table members drop column added_by`.execute(db)
}
