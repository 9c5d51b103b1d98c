import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { reportProgress } from './test/support/progress.ts'

// Compiled libraries are kept for the next run, as start.js does.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** By TEST_DATABASE: what only Citus can show, beside all other tests or, as it stops workers, alone (`scripts/citus.ts`). */
const citusTests: Record<string, string> = {
  citus: 'test/citus/*.citus.ts',
  'citus-failures': 'test/citus/*.failures.ts',
}
const ofCitus = citusTests[process.env.TEST_DATABASE ?? '']

/** Not on Citus: tests of the plans of plain PostgreSQL, and of how many statements a request takes there. */
const ofPlainPlans = [
  'test/database/plans.test.ts',
  'test/database/push-plans.test.ts',
  'test/messages/read/feed-cost.test.ts',
  'test/messages/search/cost.test.ts',
  'test/messages/statements.test.ts',
]
// A send is one statement, which PostgreSQL finishes without its connection; on Citus a transaction, which ends with it.
const ofSingleStatements = ['test/messages/send/lost-answer.system.test.ts']
// Its trigger delays commits; distributed tables have no triggers.
const ofTriggers = ['test/events/unanswered-commits.system.test.ts']
// They go back to earlier versions, which distributed tables do not, or read the form of plain ones.
const ofPlainTables = [
  'test/database/migrations/migrations.test.ts',
  'test/database/migrations/room-heads.test.ts',
  'test/database/migrations/schema.test.ts',
]
const notOnCitus =
  ofCitus === undefined ? [] : [...ofPlainPlans, ...ofSingleStatements, ...ofTriggers, ...ofPlainTables]

const freshFile = 'test/support/fresh-file.ts'
const ofWeb = ['test/web/before-each-file.ts', freshFile, 'test/web/each-file.ts']

/** A project: projects run one after the other, each in processes of its own. */
function project(
  name: string,
  place: number,
  files: { include: string[]; exclude?: string[]; setupFiles?: string[]; maxWorkers: number; inOrder?: true },
): TestProjectInlineConfiguration {
  const { include, exclude = [], setupFiles = [freshFile], maxWorkers, inOrder } = files
  return {
    test: {
      name,
      include,
      exclude: [...exclude, ...notOnCitus],
      setupFiles,
      testTimeout: 240_000,
      hookTimeout: 240_000,
      // What is waited for comes, however busy the machine is.
      expect: { poll: { timeout: 60_000 } },
      pool: 'forks',
      isolate: false,
      maxWorkers,
      sequence: { groupOrder: place, shuffle: { tests: !inOrder } },
    },
  }
}

const webTests = 'test/**/*.web.test.ts'
const systemTests = 'test/**/*.system.test.ts'
const projects = [
  project('api', 0, { include: ['test/**/*.test.ts'], exclude: [webTests, systemTests], maxWorkers: 3 }),
  project('web', 1, { include: [webTests], setupFiles: ofWeb, maxWorkers: 2 }),
  // What happens to a whole server is a story: its tests stay in order, the files do not.
  project('system', 2, { include: [systemTests], maxWorkers: 1, inOrder: true }),
]
if (ofCitus !== undefined) projects.push(project('citus', 3, { include: [ofCitus], maxWorkers: 1 }))

export default defineConfig({
  test: {
    projects,
    reporters: ['default', reportProgress()],
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { shuffle: true },
  },
})
