import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startOwnCitus } from './own-citus.ts'

/**
 * Runs the tests on Citus, with a distributed message store: `npm run test:citus -- test/rooms`, by default all of them.
 * `CITUS` names a command that starts and stops one (`own-citus.ts`), `TEST_DATABASE_URL` one that runs already.
 */
const { CITUS: command, TEST_DATABASE_URL: given } = process.env

if (command !== undefined) {
  const citus = await startOwnCitus(command)
  process.exitCode = await runTests(citus.url).finally(citus.stop)
} else if (given !== undefined) process.exitCode = await runTests(given)
else {
  process.stdout.write(
    'Neither CITUS names a command that starts a Citus nor TEST_DATABASE_URL a running one: its tests are skipped.\n',
  )
}

/**
 * Runs the named tests, or all, and with all or `test/citus` then those that stop workers. Returns the first exit code
 * that is not 0.
 */
async function runTests(databaseUrl: string): Promise<number> {
  const named = process.argv.slice(2)
  const isPart = named.length > 0 && !named.includes('test/citus')
  return (
    (await vitest(databaseUrl, 'citus', ['api', 'system', 'citus'], named)) ||
    (isPart ? 0 : await vitest(databaseUrl, 'citus-failures', ['citus'], []))
  )
}

/** Runs tests of these projects; the web client is the same on every database. */
async function vitest(
  databaseUrl: string,
  part: string,
  projects: string[],
  words: string[],
): Promise<number> {
  const chosen = projects.flatMap((name) => ['--project', name])
  const tests = spawn('vitest', ['run', ...chosen, ...words], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE: part, TEST_DATABASE_URL: databaseUrl },
  })
  const [code] = await once(tests, 'exit')
  return (code as number | null) ?? 1
}
