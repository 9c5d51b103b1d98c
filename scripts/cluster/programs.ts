import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Where Debian has programs of administrators, which not every PATH names. */
const further = ['/usr/sbin', '/usr/local/sbin']

/** The path of the first of these programs that is installed, or undefined. */
export async function findProgram(...names: string[]): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...further]
  for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isExecutable(path)) return path
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
