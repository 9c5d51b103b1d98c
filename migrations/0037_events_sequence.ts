import { type Kysely, sql } from 'kysely'

// An unlogged sequence may be unreadable on a standby that becomes the primary ("bad magic number in sequence"), as
// PostgreSQL keeps its first page in memory until the next checkpoint, and promotion copies the file. The ids of events
// may well go on after their table was emptied.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter sequence events_id_seq set logged`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter sequence events_id_seq set unlogged`.execute(db)
}
