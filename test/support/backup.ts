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
afterAll(() => rm(places, { recursive: true, force: true }))
let targets = 0

/** An empty database and an empty folder, as variables. */
export async function emptyPlace() {
  targets += 1
  const name = `hearth_restore_${process.pid}_${targets}`
  await onServer(server, `create database ${name}`)
  afterAll(() => onServer(server, `drop database if exists ${name} with (force)`))
  return {
    ...environment,
    DATABASE_URL: databaseOn(server, name),
    DATA_DIR: join(places, `target-${targets}`),
  }
}

export async function filesIn(place: { DATA_DIR: string }): Promise<string[]> {
  const names: string[] = []
  for await (const name of openFolderStore(join(place.DATA_DIR, 'files')).list()) names.push(name)
  return names.sort()
}
