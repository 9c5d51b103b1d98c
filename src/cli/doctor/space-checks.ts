import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import { type FreeSpace, reservedBytes } from '../../database/space/free-space.ts'
import { stateOf } from '../../database/space/watch-space.ts'
import { reasonOf } from '../../errors.ts'
import { type Finding, note, ok, wrong } from './findings.ts'

const mib = 2 ** 20
/** File systems have a fixed number of inodes: one for each file. */
const leastFreeInodes = 0.01

/** Says how much a part of the installation may grow; `consequence`: what happens once it may not. */
export function judgeSpace(check: string, space: FreeSpace, name: string, consequence: string): Finding {
  const [free, reserve] = [space.freeBytes, space.reserveBytes].map((bytes) => Math.floor(bytes / mib))
  const sentence = `${name} may grow by ${free! - reserve!} MiB, until ${reserve} MiB are left (STORAGE_RESERVE)`
  const state = stateOf(space)
  if (state === 'enough') return ok(check, `${sentence}.`)
  if (state === 'low') return note(check, `${sentence}: give it more space soon.`)
  const part = name.replace('The', 'the')
  return wrong(check, `Less than ${reserve} MiB are left for ${part} (STORAGE_RESERVE): ${consequence}.`)
}

/** The disk of the folder for files; a bucket has no known end. */
export async function checkFilesSpace({ storageUrl, storageReserve }: Config): Promise<Finding[]> {
  if (!storageUrl.startsWith('file:')) return []
  try {
    const { bavail, blocks, bsize, files, ffree } = await statfs(existingFolder(fileURLToPath(storageUrl)))
    if (files > 0 && ffree / files < leastFreeInodes) {
      return [wrong('files_space', 'The disk of the files has hardly any inodes left: uploads fail soon.')]
    }
    const reserveBytes = reservedBytes(blocks * bsize, storageReserve)
    const space = { freeBytes: bavail * bsize, reserveBytes }
    return [judgeSpace('files_space', space, 'The files', 'uploads are refused')]
  } catch (error) {
    return [wrong('files_space', `The free space for files cannot be read: ${reasonOf(error)}.`)]
  }
}

/** The folder, or the nearest one above it that exists. */
function existingFolder(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : existingFolder(dirname(folder))
}
