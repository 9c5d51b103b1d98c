import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import { openPostgresRelay } from '../../src/events/postgres-relay.ts'
import type { Relay } from '../../src/events/relay.ts'
import { databaseUrl, db } from './world.ts'

/** The relay over the database of the test, and how to break the connections of all that are open. */
export const postgres = {
  open: () => openPostgresRelay(db, databaseUrl),
  breakConnections: async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'hearth events'`.execute(db)
  },
}

/** A relay with what it has received. */
export async function listening(open: () => Promise<Relay>): Promise<{ relay: Relay; received: string[] }> {
  const relay = await open()
  onTestFinished(() => relay.close())
  const received: string[] = []
  relay.listen((text) => received.push(text))
  return { relay, received }
}
