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

export default defineConfig({
  test: {
    include: include[process.env.TEST_DATABASE ?? ''] ?? ['test/**/*.test.ts'],
    reporters: ['default', reportProgress()],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/fresh-file.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes, however busy the machine is.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    isolate: false,
    maxWorkers: 3,
  },
})
