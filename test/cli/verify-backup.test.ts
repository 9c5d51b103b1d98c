import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { createScratchDatabase, verifyBackup } from '../../src/cli/verify-backup.ts'
import { environment, hearth } from '../support/cli.ts'
import { databaseOn, onServer } from '../support/database-server.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { admin, call, databaseUrl, house, message, user } from '../support/world.ts'

const places = await mkdtemp(join(tmpdir(), 'hearth-backups-'))
afterAll(() => rm(places, { recursive: true, force: true }))

const ruler = await admin()
const ann = await user({ name: 'ünïcödé 🦊 \\N' })
const den = await house({ owner: ann })
await message(den.room_id, ann, { content: 'tabs\tand\nlines \\.', mentions: [ruler] })
const file = multipart(filePart(Buffer.alloc(300_000, 'abc'), 'letters.txt'))
await call(ann, 'POST', `/rooms/${den.room_id}/media_messages`, undefined, file)

/** Takes less time than a PostgreSQL that is embedded. */
const beside = () => createScratchDatabase(databaseUrl)

const never = AbortSignal.any([])

/** When the last backup was verified, as /metrics says, in seconds. */
async function verifiedAt(): Promise<number> {
  const { text } = await call(null, 'GET', '/metrics')
  return Number(/^hearth_backup_verified_timestamp_seconds (.*)$/m.exec(text)![1])
}

test('backup --verify restores the backup, says so, and lets monitoring and admins know', async () => {
  expect(await verifiedAt()).toBe(0)
  const begin = Date.now()
  const scratch = await mkdtemp(join(tmpdir(), 'hearth-scratch-'))
  // The account of the embedded PostgreSQL is another one.
  await chmod(scratch, 0o755)
  vi.stubEnv('TMPDIR', scratch)
  const { code, out, err } = await hearth('backup', join(places, 'good'), '--verify')
  vi.unstubAllEnvs()
  expect([code, err]).toEqual([0, ''])
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/ holds [0-9]+ rows of [0-9]+ tables and 1 file\.$/),
    'A restore of it has the same rows and files.',
  ])
  expect(await verifiedAt()).toBeGreaterThanOrEqual(Math.floor(begin / 1000) - 1)
  const { body } = await call(ruler, 'GET', '/admin/audit-log?limit=1')
  expect(body.data[0]).toMatchObject({ action: 'backup_verified', actor: null, target_id: null })
  expect(await readdir(scratch)).toEqual([])
  await rm(scratch, { recursive: true })
})

test('a backup without --verify is not noted as verified', async () => {
  const before = await verifiedAt()
  expect((await hearth('backup', join(places, 'unverified'))).code).toBe(0)
  expect(await verifiedAt()).toBe(before)
})

test('a backup that was damaged does not pass', async () => {
  const folder = join(places, 'damaged')
  await hearth('backup', folder)
  const [name] = (await readFile(join(folder, 'files.jsonl'), 'utf8')).match(/attachments[^"]+/)!
  const stored = join(folder, 'files', name)
  const content = await readFile(stored)
  await appendFile(stored, 'x')
  await expect(verifyBackup(folder, beside, never)).rejects.toThrow(/its file attachments.* is not what/)
  await writeFile(stored, content)
  await appendFile(join(folder, 'database/settings.copy'), 'x')
  await expect(verifyBackup(folder, beside, never)).rejects.toThrow(/settings\.copy is damaged/)
})

test('rows that a restore would change do not pass', async () => {
  const folder = join(places, 'changed')
  await hearth('backup', folder)
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  manifest.tables.find((table: { name: string }) => table.name === 'members').rows += 1
  await writeFile(path, JSON.stringify(manifest))
  await expect(verifyBackup(folder, beside, never)).rejects.toThrow(/members\.copy is damaged/)
  manifest.tables = manifest.tables.filter((table: { name: string }) => table.name !== 'members')
  await writeFile(path, JSON.stringify(manifest))
  await expect(verifyBackup(folder, beside, never)).rejects.toThrow(/has other tables than a restore of it/)
})

test('where no PostgreSQL is embedded, a database of its own is made and dropped', async () => {
  const scratch = await createScratchDatabase(databaseUrl)
  expect(new URL(scratch.url).pathname).toMatch(/^\/hearth_verify_[0-9a-f]{16}$/)
  await onServer(scratch.url, 'create table numbers (number integer)')
  await scratch.remove()
  await expect(onServer(scratch.url, 'select 1')).rejects.toThrow(/does not exist/)
})

/** The processes whose arguments name a folder. */
async function processesIn(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'args'])
  return stdout.split('\n').filter((line) => line.includes(folder))
}

/** Verifies a backup, and ends that with a signal once its PostgreSQL runs. Gives the exit code and what is left. */
async function endVerification(signal: NodeJS.Signals) {
  const scratch = await mkdtemp(join(tmpdir(), 'hearth-scratch-'))
  await chmod(scratch, 0o755)
  const words = ['src/cli/main.ts', 'backup', join(places, `ended by ${signal}`), '--verify']
  const env = { ...process.env, ...environment, TMPDIR: scratch }
  const child = spawn(process.execPath, words, { env, stdio: 'ignore' })
  const exited = once(child, 'exit')
  const isRunning = async () => (await processesIn(scratch)).some((line) => /postgres .*-D/.test(line))
  await vi.waitUntil(async () => (await isRunning()) || child.exitCode !== null, 120_000)
  child.kill(signal)
  const [code] = await exited
  const left = [...(await readdir(scratch)), ...(await processesIn(scratch))]
  await rm(scratch, { recursive: true })
  return { signal, code, left }
}

test('signals end a verification in order: no database of it is left', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  // A verification that was done by then has exited with 0.
  const inOrder = signals.map((signal) => ({ signal, code: expect.any(Number), left: [] }))
  expect(await Promise.all(signals.map(endVerification))).toEqual(inOrder)
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
