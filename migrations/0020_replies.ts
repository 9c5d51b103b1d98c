import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column reply_to bigint, add column reply_mention bigint`.execute(db)
  await sql`comment on column messages.reply_to is
    'the message of the same room that this one answers, which may be gone'`.execute(db)
  await sql`comment on column messages.reply_mention is
    'the author of that message, if they count as mentioned'`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages drop column reply_to, drop column reply_mention`.execute(db)
}
