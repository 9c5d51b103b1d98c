import { statfs } from 'node:fs/promises'

const usualWalBytes = 2 ** 30
const leastWalBytes = 2 ** 26
const shareOfDisk = 0.1

/** The most bytes that the WAL of an embedded PostgreSQL takes between checkpoints: a tenth of a small disk. */
export function maxWalBytes(diskBytes: number): number {
  return Math.min(usualWalBytes, Math.max(leastWalBytes, Math.floor(diskBytes * shareOfDisk)))
}

/** The settings with which the WAL of PostgreSQL fits on the disk of a folder: none on a large disk. */
export async function walSettings(folder: string): Promise<string[]> {
  const { blocks, bsize } = await statfs(folder)
  const bytes = maxWalBytes(blocks * bsize)
  if (bytes === usualWalBytes) return []
  return [`max_wal_size=${Math.floor(bytes / 2 ** 20)}MB`, 'min_wal_size=32MB']
}
