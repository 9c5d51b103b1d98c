import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The Node of the machine: the first on PATH that is not the project's, else the project's. */
export async function machineNode(): Promise<string> {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  for (const folder of folders) {
    const node = join(folder, 'node')
    const works = await run(node, ['--version']).then(
      () => true,
      () => false,
    )
    if (works) return node
  }
  return process.execPath
}

/** Packs hearth-client as `npm pack` does, and installs it into a new folder, which is returned. */
export async function installClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-client-'))
  const project = join(folder, 'bot')
  await mkdir(project)
  await run('npm', ['pack', '--pack-destination', folder], { cwd: join(root, 'packages/client') })
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!
  await writeFile(join(project, 'package.json'), '{ "name": "bot", "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, archive)], {
    cwd: project,
  })
  return project
}
