// Writes docs/openapi.json from the routes' schemas: npm run generate openapi
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/client.ts'
import type { Bus } from '../../src/events/bus.ts'
import type { PresenceTracker } from '../../src/gateway/presence/presence-tracker.ts'
import { openFolderStore } from '../../src/storage/store.ts'

export const documentPath = join(import.meta.dirname, '../../docs/openapi.json')

/** The document as it is kept: paths and named schemas in alphabetical order, whatever the order of registration. */
export function printDocument(app: FastifyInstance): string {
  const document = app.swagger() as {
    paths?: Record<string, unknown>
    components?: { schemas?: Record<string, unknown> }
  }
  const schemas = sortKeys(document.components?.schemas)
  const kept = {
    ...document,
    paths: sortKeys(document.paths),
    components: { ...document.components, schemas },
  }
  return `${JSON.stringify(kept, null, 2)}\n`
}

function sortKeys(object: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** No events are delivered. */
const silent: Bus = {
  node: { number: null },
  isReading: true,
  catchUp: async () => 0,
  epoch: '',
  progress: { position: 0, entries: 0, pending: 0, lagMs: 0, received: { own: 0, published: 0, read: 0 } },
  sent: { events: 0, waiting: 0, failures: 0 },
  redis: undefined,
  deliver: async () => {},
  beginDelivery: async () => {},
  publish: async () => {},
  presencesChangedSince: () => [],
  subscribe: () => () => {},
  onSent: () => () => {},
  close: async () => {},
}

/** Nobody is online. */
const nobody: PresenceTracker = {
  arrive: () => {},
  leave: () => {},
  forget: () => {},
  stop: async () => {},
}

if (import.meta.main) {
  // Nothing is asked of the database or the store: only the routes' descriptions are wanted.
  const config = readConfig({ LOG_LEVEL: 'silent', DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  const db = openDatabase(config.databaseUrl!)
  const store = openFolderStore(tmpdir())
  const app = await buildApp({ config, db, store, bus: silent, presences: nobody })
  await app.ready()
  await writeFile(documentPath, printDocument(app))
  await app.close()
  await db.destroy()
}
