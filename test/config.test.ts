import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config.ts'
import { failToStart } from './support/server.ts'

test('an empty environment gives the defaults, and an empty variable counts as absent', () => {
  const config = readConfig({ HOST: '', PORT: '' })
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, rateLimit: true, logLevel: 'info' })
  expect(config.databaseUrl).toBeUndefined()
  expect(config.publicUrl).toBeUndefined()
})

test.each([
  ['PORT', 'eighty'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['DATABASE_URL', 'mysql://localhost'],
  ['PUBLIC_URL', 'chat.example.org'],
  ['RATE_LIMIT', 'maybe'],
  ['LOG_LEVEL', 'loud'],
])('%s set to %s is refused with one sentence that names the variable', (name, value) => {
  const read = () => readConfig({ [name]: value })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(new RegExp(`^${name} is not usable: [^\\n]+\\.$`))
})

test('an address with a password in it is not repeated', () => {
  expect(() => readConfig({ DATABASE_URL: 'mysql://me:secret@host' })).toThrow(/^(?!.*secret)/)
})

test('a start with a wrong variable, or without its database, ends with one sentence and exit code 1', async () => {
  const dir = join(tmpdir(), 'hearth-never-made')
  const wrong = await failToStart(dir, { RATE_LIMIT: 'maybe' })
  expect(wrong).toEqual({ code: 1, stderr: 'RATE_LIMIT is not usable: "maybe" is not on or off.\n' })
  const away = await failToStart(dir, { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/hearth' })
  expect(away.code).toBe(1)
  expect(away.stderr).toMatch(/^DATABASE_URL cannot be used: [^\n]+\n$/)
  expect(away.stderr).not.toContain('secret')
})
