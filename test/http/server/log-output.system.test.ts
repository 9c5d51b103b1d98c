import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../support/server.ts'
import { databaseUrl, folder } from '../../support/world.ts'

const root = join(import.meta.dirname, '../../..')

/** What a process wrote that logs these lines and exits at once. */
async function logAndExit(lines: string): Promise<string[]> {
  const script = `
    import { openLogOutput } from '${join(root, 'src/http/server/log-output.ts')}'
    const output = openLogOutput(1)
    for (const line of ${lines}) output.write(line + '\\n')
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return (await text(child.stdout)).trimEnd().split('\n')
}

test('the last lines before an exit are written, in order', async () => {
  const lines = await logAndExit('Array(3000).keys()')
  const all = Array.from({ length: 3_000 }, (_, n) => `${n}`)
  expect(new Set(lines)).toEqual(new Set(all))
  // The first write, which has begun before the exit, may end after what the exit writes.
  expect(lines.filter((line) => line !== '0')).toEqual(all.slice(1))
})

test('what waits for its reader is bounded, and whole lines are left out', async () => {
  const kept = await logAndExit(`Array(9000).fill('x'.repeat(1023))`)
  expect(kept.length).toBeGreaterThan(4_000)
  expect(kept.length).toBeLessThan(4_200)
  expect(new Set(kept)).toEqual(new Set(['x'.repeat(1_023)]))
})

test('what its reader was too slow for comes before what was logged later, also at an exit', async () => {
  // Its own reader: the pipe is full after the first write, and empty again when the process exits.
  const script = `
    import { execFileSync } from 'node:child_process'
    import { constants, openSync, readSync, writeSync } from 'node:fs'
    import { stat } from 'node:fs/promises'
    import { openLogOutput } from '${join(root, 'src/http/server/log-output.ts')}'
    execFileSync('mkfifo', ['${folder}/log'])
    const pipe = openSync('${folder}/log', constants.O_RDWR | constants.O_NONBLOCK)
    const output = openLogOutput(pipe)
    const piece = Buffer.alloc(65_536)
    const read = []
    function empty() {
      try {
        for (;;) read.push(piece.toString('utf8', 0, readSync(pipe, piece)))
      } catch {}
    }
    for (let n = 0; n < 20_000; n += 1) output.write(n + '\\n')
    // With one thread these come after the writes of the log, the second of which finds the pipe full.
    for (let n = 0; n < 3; n += 1) await stat('.')
    output.write('last\\n')
    empty()
    process.on('exit', () => {
      empty()
      writeSync(1, read.join(''))
    })
    process.exit()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { UV_THREADPOOL_SIZE: '1', PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = (await text(child.stdout)).trimEnd().split('\n')
  expect(lines).toEqual([...Array.from({ length: 20_000 }, (_, n) => `${n}`), 'last'])
})

/** A pipe that has a reader, which takes nothing. */
function unreadPipe(): number {
  const path = join(folder, 'unread')
  execFileSync('mkfifo', [path])
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
}

test.each([
  ['is on a full disk', '/dev/full'],
  ['has lost its reader', 'pipe'],
  ['has a reader that stands still', 'fifo'],
])('a server whose output %s answers, and stops with 0', async (_what, output) => {
  const port = await freePort()
  const { PATH = '' } = process.env
  const database = { DATA_DIR: folder, DATABASE_URL: databaseUrl }
  const env = { PATH, ...database, PORT: `${port}`, RATE_LIMIT: 'off', LOG_LEVEL: 'debug' }
  const stdout = output === 'pipe' ? 'pipe' : output === 'fifo' ? unreadPipe() : openSync(output, 'w')
  const child = spawn(process.execPath, [join(root, 'start.js')], { env, stdio: ['ignore', stdout, 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout?.destroy()
  const complaints = text(child.stderr!)
  const ended = once(child, 'exit')
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/health`)).status
  await vi.waitFor(async () => expect(await ask()).toBe(200), 30_000)
  // Their log lines exceed the buffer of a pipe.
  for (let n = 0; n < 400; n += 1) expect(await ask()).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(await complaints).toBe('')
})
