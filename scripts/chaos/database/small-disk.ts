import { spawnSync } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../support/run-folder.ts'

const bytes = 384 * 1024 * 1024
const chunkBytes = 1024 * 1024

/** A disk of its own that can be filled. */
export type SmallDisk = {
  folder: string
  fill(): Promise<void>
  empty(): Promise<void>
  close(): Promise<void>
}

/** A disk in memory, where the system lets us mount one; else undefined. */
export async function openSmallDisk(): Promise<SmallDisk | undefined> {
  const folder = await makeFolder('disk-')
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], {
    stdio: 'ignore',
  })
  if (mounted.status !== 0) {
    await rm(folder, { recursive: true })
    return undefined
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    async fill() {
      const file = await open(filler, 'w')
      try {
        for (let size = chunkBytes; size >= 4_096; size /= 16) {
          const chunk = Buffer.alloc(size, 1)
          while ((await file.write(chunk)).bytesWritten === size);
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        await file.close()
      }
    },
    empty: () => rm(filler, { force: true }),
    async close() {
      spawnSync('umount', ['-l', folder], { stdio: 'ignore' })
      await rm(folder, { recursive: true, force: true })
    },
  }
}
