import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { places, verifiedAt } from '../support/backup.ts'
import { environment, hearth } from '../support/cli.ts'
import { sendMedia } from '../support/media.ts'
import { filePart } from '../support/multipart.ts'
import { ownWorld } from '../support/own-world.ts'
import { admin, call, house } from '../support/world.ts'

await ownWorld()

const ruler = await admin()
const { room_id } = await house({ owner: ruler })
await sendMedia(ruler, room_id, filePart('abc', 'letters.txt'))

test('backup --verify restores the backup, says so, and lets monitoring and admins know', async () => {
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
  const env = { ...process.env, ...environment(), TMPDIR: scratch }
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
