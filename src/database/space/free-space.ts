import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Db, isDistributed } from '../client.ts'
import { maxWalBytes } from '../embedded/wal-size.ts'

const maxReservedBytes = 2 ** 30
const reservedShare = 0.05
const walSegmentBytes = 2 ** 24

/** The bytes of a disk that stay free: those of STORAGE_RESERVE, else 1 GiB, or 5 % of the disk if that is less. */
export function reservedBytes(diskBytes: number, reserve: number | undefined): number {
  return reserve ?? Math.min(maxReservedBytes, diskBytes * reservedShare)
}

/** The bytes that the database may still take, and how many of them stay free. */
export type FreeSpace = { freeBytes: number; reserveBytes: number }

/**
 * The free space on the disk of an embedded PostgreSQL (`folder`: that of its cluster), without what its WAL may still
 * take.
 */
export async function freeSpaceOfFolder(folder: string, reserve?: number): Promise<FreeSpace> {
  const [{ bavail, blocks, bsize }, wal] = await Promise.all([
    statfs(folder),
    readdir(join(folder, 'data/pg_wal')),
  ])
  const diskBytes = blocks * bsize
  const walBytes = wal.filter((name) => /^[0-9A-F]{24}$/.test(name)).length * walSegmentBytes
  return {
    freeBytes: bavail * bsize - Math.max(0, maxWalBytes(diskBytes) - walBytes),
    reserveBytes: reservedBytes(diskBytes, reserve),
  }
}

/** How far a database is below `maxBytes`; where messages are distributed, the largest of its parts. */
export async function freeSpaceBelow(db: Db, maxBytes: number, reserve?: number): Promise<FreeSpace> {
  const size = sql`pg_database_size(current_database())`
  const largest = isDistributed(db)
    ? sql`select max(result::bigint) as bytes
        from run_command_on_all_nodes('select pg_database_size(current_database())') where success`
    : sql`select ${size} as bytes`
  const { rows } = await sql<{ bytes: string }>`${largest}`.execute(db)
  return { freeBytes: maxBytes - Number(rows[0]!.bytes), reserveBytes: reservedBytes(maxBytes, reserve) }
}

type SpaceSettings = {
  storageReserve: number | undefined
  databaseMaxSize: number | undefined
}

/**
 * How to read the free space of a database: of the disk of `folder`, in which it is embedded, else below
 * DATABASE_MAX_SIZE. Undefined where neither is known.
 */
export function spaceReader(
  db: Db,
  { storageReserve, databaseMaxSize }: SpaceSettings,
  folder: string | undefined,
): (() => Promise<FreeSpace>) | undefined {
  if (folder !== undefined) return () => freeSpaceOfFolder(folder, storageReserve)
  if (databaseMaxSize !== undefined) return () => freeSpaceBelow(db, databaseMaxSize, storageReserve)
}
