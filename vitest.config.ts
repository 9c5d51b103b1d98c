import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { reportProgress } from './test/support/progress.ts'

// Compiled libraries are kept for the next run, as start.js does.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** By TEST_DATABASE: what only Citus can show, beside all other tests or, as it stops workers, alone (`scripts/citus.ts`). */
const include: Record<string, string[]> = {
  citus: ['test/**/*.test.ts', 'test/citus/*.citus.ts'],
  'citus-failures': ['test/citus/*.failures.ts'],
}

/** Not on Citus: tests of the plans of plain PostgreSQL, and of how many statements a request takes there. */
const ofPlainPlans = [
  'test/database/plans.test.ts',
  'test/database/push-plans.test.ts',
  'test/messages/read/feed-cost.test.ts',
  'test/messages/search/cost.test.ts',
  'test/messages/statements.test.ts',
]
// A send is one statement, which PostgreSQL finishes without its connection; on Citus a transaction, which ends with it.
const ofSingleStatements = ['test/messages/send/lost-answer.test.ts']
// Its trigger delays commits; distributed tables have no triggers.
const ofTriggers = ['test/events/unanswered-commits.test.ts']
// They go back to earlier versions, which distributed tables do not, or read the form of plain ones.
const ofPlainTables = [
  'test/database/migrations/migrations.test.ts',
  'test/database/migrations/room-heads.test.ts',
  'test/database/migrations/schema.test.ts',
]
const isOnCitus = process.env.TEST_DATABASE?.startsWith('citus') === true

export default defineConfig({
  test: {
    include: include[process.env.TEST_DATABASE ?? ''] ?? ['test/**/*.test.ts'],
    exclude: isOnCitus ? [...ofPlainPlans, ...ofSingleStatements, ...ofTriggers, ...ofPlainTables] : [],
    reporters: ['default', reportProgress()],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/fresh-file.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What is waited for comes, however busy the machine is.
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
  },
})
