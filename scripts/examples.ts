// Writes docs/examples.json, what the server answers to the recipes in test/support/examples: npm run docs:examples
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/docs/examples.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, RENEW_EXAMPLES: 'yes' },
})
process.exitCode = status ?? 1
