import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const sources = ['src/web', 'src/client', 'src/markdown', 'scripts/prepare.js', 'package-lock.json']

/** Builds the web client unless it is newer than its sources. */
export async function buildWebClient(): Promise<void> {
  const built = await changedAt(join(root, 'dist/web/build.json')).catch(() => 0)
  const changes = await Promise.all(sources.map((path) => lastChange(join(root, path))))
  if (built > Math.max(...changes)) return
  // That of the tests would build in what libraries have for development only.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)(process.execPath, [join(root, 'scripts/prepare.js')], { cwd: root, env })
}

async function lastChange(path: string): Promise<number> {
  const within = await readdir(path, { recursive: true }).catch(() => [])
  return Math.max(...(await Promise.all([path, ...within.map((name) => join(path, name))].map(changedAt))))
}

async function changedAt(path: string): Promise<number> {
  return (await stat(path)).mtimeMs
}
