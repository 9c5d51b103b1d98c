// Writes docs/pictures, what the web client looks like: npm run docs:pictures
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/pictures')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
rmSync(folder, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/web/screens.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PICTURES_FOLDER: folder },
})
process.exitCode = status ?? 1
