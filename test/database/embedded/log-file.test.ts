import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepLogShort, openLog } from '../../../src/database/embedded/log-file.ts'

test('a log that grows while PostgreSQL runs is emptied, and goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'log')
  const log = await openLog(file)
  const stop = keepLogShort(file, 100, 1)
  onTestFinished(stop)
  await log.write('x'.repeat(100))
  await log.write('too much')
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toBe(''))
  await log.write('later')
  await log.close()
  expect(await readFile(file, 'utf8')).toBe('later')
})
