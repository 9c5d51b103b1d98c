import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { environment, hearth, hearthIn } from '../support/cli.ts'

/** Runs the real command line in a process of its own. */
function spawnHearth(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const cli = join(import.meta.dirname, '../../src/cli/main.ts')
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment }
    execFile(process.execPath, [cli, ...words], { env }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err })
    })
  })
}

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
  const wrong = await hearthIn({ ...environment, PORT: 'x' }, 'list-houses')
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^PORT is not usable: [^\n]*\.$/)])
  const away = await hearthIn({ ...environment, DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'list-houses')
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

test('a command finishes although its output is closed early', async () => {
  const cli = join(import.meta.dirname, '../../src/cli/main.ts')
  const [helping, complaining] = [spawn(process.execPath, [cli, 'help']), spawn(process.execPath, [cli])]
  helping.stdout.destroy()
  complaining.stderr.destroy()
  const err = text(helping.stderr)
  const [helped, complained] = await Promise.all([once(helping, 'close'), once(complaining, 'close')])
  expect([helped, complained]).toEqual([
    [0, null],
    [2, null],
  ])
  expect(await err).toBe('')
})

test('in a process of its own the exit code and both streams are those of the command', async () => {
  expect(await spawnHearth('list-houses')).toEqual({ code: 0, out: 'There are no houses.\n', err: '' })
  const { code, out, err } = await spawnHearth('reset-password', 'nobody')
  expect({ code, out, err }).toEqual({
    code: 1,
    out: '',
    err: 'There is no user "nobody": give a username or an id.\n',
  })
})
