import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Runs the tests on Citus, with a distributed message store: `npm run test:citus -- test/rooms`, by default all of them.
 * `CITUS` names a command that starts a coordinator and its workers in the folder `CITUS_DIR` (`start`; its last line is
 * the address of the coordinator) and stops them (`stop`). `TEST_DATABASE_URL` names a Citus that runs already.
 */
const run = promisify(execFile)
const { CITUS: command, TEST_DATABASE_URL: given } = process.env

if (command !== undefined) process.exitCode = await onOwnCitus(command)
else if (given !== undefined) process.exitCode = await runTests(given)
else {
  process.stdout.write(
    'Neither CITUS names a command that starts a Citus nor TEST_DATABASE_URL a running one: its tests are skipped.\n',
  )
}

async function onOwnCitus(command: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-citus-'))
  const environment = { ...process.env, CITUS_DIR: folder }
  try {
    const { stdout } = await run(command, ['start'], { env: environment })
    return await runTests(stdout.trim().split('\n').at(-1)!)
  } finally {
    await run(command, ['stop'], { env: environment })
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs the named tests, or all, and with all or `test/citus` then those that stop workers. Returns the first exit code
 * that is not 0.
 */
async function runTests(databaseUrl: string): Promise<number> {
  const named = process.argv.slice(2)
  const isPart = named.length > 0 && !named.includes('test/citus')
  return (
    (await vitest(databaseUrl, 'citus', named)) ||
    (isPart ? 0 : await vitest(databaseUrl, 'citus-failures', []))
  )
}

async function vitest(databaseUrl: string, part: string, words: string[]): Promise<number> {
  const tests = spawn('vitest', ['run', ...words], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE: part, TEST_DATABASE_URL: databaseUrl },
  })
  const [code] = await once(tests, 'exit')
  return (code as number | null) ?? 1
}
