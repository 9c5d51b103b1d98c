import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { reportProgress } from './test/support/progress.ts'

// Compiled libraries are kept for the next run, as start.js does.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

// What only Citus can show (`npm run test:citus`).
const onCitus = process.env.TEST_DATABASE === 'citus' ? ['test/citus/*.citus.ts'] : []

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', ...onCitus],
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
