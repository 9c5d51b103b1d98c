import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { databaseUrl } from '../../support/world.ts'

test('src/database/schema.ts is what the migrations make', async () => {
  const cwd = join(import.meta.dirname, '../../..')
  const codegen = join(cwd, 'node_modules/.bin/kysely-codegen')
  const outcome = await promisify(execFile)(codegen, ['--verify', '--url', databaseUrl], { cwd }).then(
    () => 'up to date',
    (error: { stdout: string; stderr: string }) =>
      `src/database/schema.ts is stale: run \`npm run generate types\` and commit it. ${error.stdout}${error.stderr}`,
  )
  expect(outcome).toBe('up to date')
})
