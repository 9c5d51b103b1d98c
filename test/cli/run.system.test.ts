import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { environment } from '../support/cli.ts'
import { house, user } from '../support/world.ts'

const cli = join(import.meta.dirname, '../../src/cli/main.ts')

/** Runs the real command line in a process of its own. */
function spawnHearth(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment() }
    execFile(process.execPath, [cli, ...words], { env }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err })
    })
  })
}

test('a command finishes although its output is closed early', async () => {
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
  const { id } = await house({ owner: await user() })
  const deleted = await spawnHearth('delete-house', id, '--yes')
  expect(deleted).toEqual({ code: 0, out: 'Deleted Den with 1 member.\n', err: '' })
  const { code, out, err } = await spawnHearth('reset-password', 'nobody')
  expect({ code, out, err }).toEqual({
    code: 1,
    out: '',
    err: 'There is no user "nobody": give a username, an id or an e-mail address.\n',
  })
})
