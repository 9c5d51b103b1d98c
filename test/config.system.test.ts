import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failToStart } from './support/server.ts'

test('a start with a wrong variable, or without its database, ends with one sentence and exit code 1', async () => {
  const dir = join(tmpdir(), 'hearth-never-made')
  const wrong = await failToStart(dir, { RATE_LIMIT: 'maybe' })
  expect(wrong).toEqual({ code: 1, stderr: 'RATE_LIMIT is not usable: "maybe" is not on or off.\n' })
  const away = await failToStart(dir, { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/hearth' })
  expect(away.code).toBe(1)
  expect(away.stderr).toMatch(/^DATABASE_URL cannot be used: [^\n]+\n$/)
  expect(away.stderr).not.toContain('secret')
})
