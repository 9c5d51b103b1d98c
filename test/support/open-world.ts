import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { inject, TestRunner } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type Db, openDatabaseWithoutTimeouts } from '../../src/database/client.ts'
import { claimNodeNumber, type Node } from '../../src/database/node-number.ts'
import { type Bus, openBus } from '../../src/events/bus.ts'
import type { HearthEvent } from '../../src/events/events.ts'
import { createPresenceTracker, type PresenceTracker } from '../../src/gateway/presence/presence-tracker.ts'
import { firstIdAt } from '../../src/ids.ts'
import { openFolderStore, type Store } from '../../src/storage/store.ts'
import { isOfFile } from './current-file.ts'
import { databaseOn, onServers } from './database-server.ts'

/** A database, a folder, and an app on both. */
export type World = {
  databaseUrl: string
  folder: string
  config: Config
  db: Db
  store: Store
  node: Node
  bus: Bus
  presences: PresenceTracker
  published: HearthEvent[]
  app: FastifyInstance
}

/** Opens a world with a copy of the migrated database. The run drops the database, and deletes the folder. */
export async function openWorld(): Promise<World> {
  const databaseName = `${inject('template')}_${randomBytes(6).toString('hex')}`
  await onServers(inject('servers'), `create database ${databaseName} template ${inject('template')}`)
  const databaseUrl = databaseOn(inject('databaseUrl'), databaseName)
  const folder = await mkdtemp(join(inject('folder'), 'files-'))
  const config = readConfig({
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'http://hearth.test',
  })
  // Without the time limits of a server: tests must not depend on the speed of the machine.
  const db = openDatabaseWithoutTimeouts(databaseUrl)
  const store = openFolderStore(join(folder, 'files'), 0)
  // A node number has one second for its connection, and the first connection to a database takes longest.
  await sql`select 1`.execute(db)
  const node = await claimNodeNumber(databaseUrl, { assign: () => {}, relaying: 'postgres' })
  const bus = await openBus(db, node)
  const presences = createPresenceTracker(db, bus)
  const published: HearthEvent[] = []
  bus.subscribe((event) => {
    if (!isBeside(event)) published.push(event)
  })
  const app = await buildApp({ config, db, store, bus, presences })
  await app.ready()
  return { databaseUrl, folder, config, db, store, node, bus, presences, published, app }
}

/** Whether it comes beside what a test does: what others have made goes offline, expires or is erased. */
function isBeside(event: HearthEvent): boolean {
  // The first is in the log for resumes, beside the event that it precedes.
  if (event.type === 'access_changed' || event.type === 'presence_changed' || !isOfFile(event)) return true
  const startedMs = TestRunner.getCurrentTest()?.result?.startTime
  if (event.type !== 'message_deleted' || startedMs === undefined) return false
  return BigInt(event.message_id) < BigInt(firstIdAt(startedMs))
}

/** Closes what a world has open, and deletes its folder. */
export async function closeWorld({ app, presences, bus, node, db, folder }: World): Promise<void> {
  await app.close()
  await presences.stop()
  await bus.close()
  await node.release()
  await db.destroy()
  await rm(folder, { recursive: true, force: true })
}
