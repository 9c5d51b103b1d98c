import { sql } from 'kysely'
import { onTestFinished } from 'vitest'
import { claimNodeNumber } from '../../src/database/node-number.ts'
import { openPostgresRelay } from '../../src/events/postgres-relay.ts'
import type { Relay } from '../../src/events/relay.ts'
import { databaseUrl, db } from './world.ts'

/** Opens the relay of a process that reaches the database at `url`. */
export async function openRelayAt(url: string): Promise<Relay> {
  const node = await claimNodeNumber(url, { assign: () => {}, relaying: 'postgres' })
  onTestFinished(node.release)
  return openPostgresRelay(db, node)
}

/** The relay over the database of the test, and how to break the connections of all processes. */
export const postgres = {
  open: () => openRelayAt(databaseUrl),
  breakConnections: async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'hearth process'`.execute(db)
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
