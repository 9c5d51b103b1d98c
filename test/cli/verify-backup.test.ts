import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { createScratchDatabase, verifyBackup } from '../../src/cli/verify-backup.ts'
import { otherServer, places, verifiedAt } from '../support/backup.ts'
import { hearth } from '../support/cli.ts'
import { databaseOn, onServer } from '../support/database-server.ts'
import { sendMedia } from '../support/media.ts'
import { filePart } from '../support/multipart.ts'
import { ownWorld } from '../support/own-world.ts'
import { admin, databaseUrl, house, message, user } from '../support/world.ts'

await ownWorld()

const ruler = await admin()
const ann = await user({ name: 'ünïcödé 🦊 \\N' })
const den = await house({ owner: ann })
await message(den.room_id, ann, { content: 'tabs\tand\nlines \\.', mentions: [ruler] })
await sendMedia(ann, den.room_id, filePart(Buffer.alloc(300_000, 'abc'), 'letters.txt'))

/** Takes less time than a PostgreSQL that is embedded. */
const beside = () => createScratchDatabase(databaseUrl)

/** Takes less time than a database without tables. */
const migrated = async () => ({ url: (await otherServer()).DATABASE_URL, remove: async () => {} })

const never = AbortSignal.any([])

test('a backup without --verify is not noted as verified', async () => {
  expect((await hearth('backup', join(places, 'unverified'))).code).toBe(0)
  expect(await verifiedAt()).toBe(0)
})

test('a backup that was damaged does not pass', async () => {
  const folder = join(places, 'damaged')
  await hearth('backup', folder)
  const [name] = (await readFile(join(folder, 'files.jsonl'), 'utf8')).match(/attachments[^"]+/)!
  const stored = join(folder, 'files', name)
  const content = await readFile(stored)
  await appendFile(stored, 'x')
  await expect(verifyBackup(folder, migrated, never)).rejects.toThrow(/its file attachments.* is not what/)
  await writeFile(stored, content)
  await appendFile(join(folder, 'database/settings.copy'), 'x')
  await expect(verifyBackup(folder, migrated, never)).rejects.toThrow(/settings\.copy is damaged/)
})

test('rows that a restore would change do not pass', async () => {
  const folder = join(places, 'changed')
  await hearth('backup', folder)
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  manifest.tables.find((table: { name: string }) => table.name === 'members').rows += 1
  await writeFile(path, JSON.stringify(manifest))
  await expect(verifyBackup(folder, migrated, never)).rejects.toThrow(/members\.copy is damaged/)
  manifest.tables = manifest.tables.filter((table: { name: string }) => table.name !== 'members')
  await writeFile(path, JSON.stringify(manifest))
  await expect(verifyBackup(folder, migrated, never)).rejects.toThrow(/has other tables than a restore of it/)
})

test('where no PostgreSQL is embedded, a database of its own is made and dropped', async () => {
  const scratch = await createScratchDatabase(databaseUrl)
  expect(new URL(scratch.url).pathname).toMatch(/^\/hearth_verify_[0-9a-f]{16}$/)
  await onServer(scratch.url, 'create table numbers (number integer)')
  await scratch.remove()
  await expect(onServer(scratch.url, 'select 1')).rejects.toThrow(/does not exist/)
})

test('a verification that ends early drops the database beside', async () => {
  const folder = join(places, 'ended')
  await hearth('backup', folder)
  const aborting = new AbortController()
  let url = ''
  const opened = async () => {
    const scratch = await beside()
    url = scratch.url
    // While the restore has begun.
    setImmediate(() => aborting.abort(new Error('ended early')))
    return scratch
  }
  await expect(verifyBackup(folder, opened, aborting.signal)).rejects.toThrow('ended early')
  await expect(onServer(url, 'select 1')).rejects.toThrow(/does not exist/)
})

test('a user who may create no databases is told so', async () => {
  const name = `hearth_weak_${process.pid}`
  const server = inject('databaseUrl')
  await onServer(server, `create role ${name} login password 'weak'`)
  const url = new URL(databaseOn(server, 'postgres'))
  url.username = name
  url.password = 'weak'
  await expect(createScratchDatabase(url.href)).rejects.toThrow(
    /^The backup is made, but cannot be verified: permission denied to create database\.$/,
  )
  await onServer(server, `drop role ${name}`)
})
