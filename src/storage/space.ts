import { mkdir, statfs } from 'node:fs/promises'
import { reservedBytes } from '../database/space/free-space.ts'
import { StoreUnavailable } from '../errors.ts'

const cachedForMs = 1_000

/**
 * How to check that the disk of a folder, made when missing, has `reserve` bytes free: by default 1 GiB, or 5 % of the
 * disk if that is less. A result is cached for a second. The check throws `StoreUnavailable` where less is free, or the
 * free space cannot be read.
 */
export function freeSpaceCheck(folder: string, reserve?: number): () => Promise<void> {
  let last: { atMs: number; hasSpace: Promise<boolean> } | undefined
  return async () => {
    const now = performance.now()
    if (!last || now - last.atMs > cachedForMs) last = { atMs: now, hasSpace: hasSpace(folder, reserve) }
    const isFree = await last.hasSpace.catch((error: Error) => {
      throw new StoreUnavailable(error)
    })
    if (!isFree) throw new StoreUnavailable(new Error('less than STORAGE_RESERVE is free'))
  }
}

async function hasSpace(folder: string, reserve: number | undefined): Promise<boolean> {
  await mkdir(folder, { recursive: true })
  const { bavail, blocks, bsize } = await statfs(folder)
  return bavail * bsize >= reservedBytes(blocks * bsize, reserve)
}
