import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { environment, hearth, hearthIn } from '../support/cli.ts'

test('help lists every command on stdout; no command lists them on stderr and ends with 2', async () => {
  const help = await hearth('help')
  expect(help.code).toBe(0)
  for (const name of ['create-user <email> <username>', 'delete-house <id> [--yes]', 'doctor', 'migrate']) {
    expect(help.out).toContain(`\n  ${name}`)
  }
  const nothing = await hearth()
  expect(nothing).toEqual({ code: 2, out: '', err: help.out })
})

test('a command with --help shows how it is typed', async () => {
  const { code, out } = await hearth('delete-house', '--help')
  expect([code, out.split('\n')[0]]).toEqual([0, '  delete-house <id> [--yes] [--json]'])
})

test('an unknown command ends with 2 and a sentence', async () => {
  const { code, err } = await hearth('destroy')
  expect([code, err]).toEqual([2, 'There is no command "destroy": "npm run hearth -- help" lists them.'])
})

test('settings and a database that cannot be used end with 1 and a sentence that names them', async () => {
  const wrong = await hearthIn({ ...environment(), PORT: 'x' }, 'list-houses')
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^PORT is not usable: [^\n]*\.$/)])
  const away = await hearthIn(
    { ...environment(), DATABASE_URL: 'postgres://127.0.0.1:1/none' },
    'list-houses',
  )
  expect([away.code, away.err]).toEqual([1, expect.stringMatching(/^DATABASE_URL cannot be used: [^\n]*\.$/)])
})

test('a command where there is no database makes none, but says which folder it looked in', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'hearth-empty-'))
  onTestFinished(() => rm(empty, { recursive: true, force: true }))
  const { code, err } = await hearthIn({ DATA_DIR: empty }, 'backup', join(empty, 'monday'))
  expect([code, err]).toEqual([
    1,
    `There is no database in ${empty}: start the server first, or set DATA_DIR.`,
  ])
  expect(await readdir(empty)).toEqual([])
})
