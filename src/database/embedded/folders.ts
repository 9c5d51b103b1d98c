import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, for this account alone, and those above it that are missing. Throws the error of the file system when
 * it cannot. `mkdir` with `recursive` never ends below /proc, where a folder cannot be made although the one above it is
 * there.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (await isFolder(folder)) return
    const above = dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isFolder(above))) throw error
    await makeFolder(above)
    await mkdir(folder, { mode: 0o700 }).catch(async (failure: Error) => {
      if (!(await isFolder(folder))) throw failure
    })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
