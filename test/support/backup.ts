import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { openFolderStore } from '../../src/storage/store.ts'
import { environment } from './cli.ts'
import { databaseOn, onServer } from './database-server.ts'

const server = inject('databaseUrl')
/** A folder for backups, and for what is restored. */
export const places = await mkdtemp(join(tmpdir(), 'hearth-backup-'))
const made: string[] = []
afterAll(async () => {
  await rm(places, { recursive: true, force: true })
  for (const name of made) await onServer(server, `drop database if exists ${name} with (force)`)
})

/** An empty database and an empty folder, as variables. */
export async function emptyPlace() {
  const name = `hearth_restore_${process.pid}_${made.length}`
  await onServer(server, `create database ${name}`)
  made.push(name)
  return {
    ...environment,
    DATABASE_URL: databaseOn(server, name),
    DATA_DIR: join(places, `target-${made.length}`),
  }
}

export async function filesIn(place: { DATA_DIR: string }): Promise<string[]> {
  const names: string[] = []
  for await (const name of openFolderStore(join(place.DATA_DIR, 'files')).list()) names.push(name)
  return names.sort()
}
