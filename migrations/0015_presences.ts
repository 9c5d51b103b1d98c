import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table presences (
      user_id bigint not null,
      node integer not null,
      primary key (user_id, node)
    )`.execute(db)
  await sql`comment on table presences is
    'who has a gateway connection, or had one a few seconds ago, at the process with this node number'`.execute(
    db,
  )
  await sql`drop table bus_events`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table presences`.execute(db)
  const { up } = await import('./0006_bus_events.ts')
  await up(db)
}
