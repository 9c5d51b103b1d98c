import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { openFolderStore } from '../../src/storage/store.ts'
import { environment } from './cli.ts'
import { databaseOn, onServer, onServers } from './database-server.ts'
import { call } from './world.ts'

const server = inject('databaseUrl')
/** A folder for backups, and for what is restored. */
export const places = await mkdtemp(join(inject('folder'), 'backup-'))

/** A new database and an empty folder, as variables. The run drops the database. */
async function newPlace(create: (name: string) => Promise<void>) {
  const name = `${inject('template')}_place_${randomBytes(6).toString('hex')}`
  await create(name)
  return {
    ...environment(),
    DATABASE_URL: databaseOn(server, name),
    DATA_DIR: join(places, name),
  }
}

/** An empty database and an empty folder, as variables. */
export function emptyPlace() {
  return newPlace((name) => onServer(server, `create database ${name}`))
}

/** Another server, without anybody: a migrated database and an empty folder, as variables. */
export function otherServer() {
  const template = inject('template')
  return newPlace((name) => onServers(inject('servers'), `create database ${name} template ${template}`))
}

/** When the last backup was verified, as /metrics says, in seconds. */
export async function verifiedAt(): Promise<number> {
  const { text } = await call(null, 'GET', '/metrics')
  return Number(/^hearth_backup_verified_timestamp_seconds (.*)$/m.exec(text)![1])
}

export async function filesIn(place: { DATA_DIR: string }): Promise<string[]> {
  const names: string[] = []
  for await (const name of openFolderStore(join(place.DATA_DIR, 'files')).list()) names.push(name)
  return names.sort()
}
