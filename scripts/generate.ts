import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// Writes what is made of other files: `npm run generate`, or `npm run generate types openapi`. Tests say what is stale.
const root = join(import.meta.dirname, '..')
const script = (name: string) => [join(root, 'scripts/generate', `${name}.ts`)]
/** A test that writes, instead of comparing, what GENERATE names. */
const ofTests = (project: string, path: string) => [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--project',
  project,
  path,
]
const generators: Record<string, string[]> = {
  types: script('types'),
  events: script('events'),
  examples: ofTests('api', 'test/docs/examples.test.ts'),
  openapi: script('openapi'),
  pictures: ofTests('web', 'test/web/screens'),
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in generators))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')} to generate, but ${Object.keys(generators).join(', ')}.`)
  process.exit(1)
}
for (const [name, program] of Object.entries(generators)) {
  if (named.length > 0 && !named.includes(name)) continue
  const { status } = spawnSync(process.execPath, program, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, GENERATE: name },
  })
  if (status !== 0) process.exit(status ?? 1)
  console.log(`${name}: written`)
}
