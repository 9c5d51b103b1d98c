import { createWriteStream } from 'node:fs'
import { mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreUnavailable } from '../errors.ts'
import { freeSpaceCheck } from './space.ts'

/** Bytes of a file, `end` inclusive. */
type Range = { start: number; end: number }

/** A file of the store. Opening it rejects where it cannot be read, as when it was removed since. */
type StoredFile = { size: number; open(range?: Range): Promise<Readable> }

/** Stores pictures and attachments. Names are relative paths that the server makes, never text of a client. */
export type Store = {
  /** Throws `StoreUnavailable` where only the space reserved for the database is free. */
  checkSpace(): Promise<void>
  /** Writes a file durably and atomically. Throws `StoreUnavailable` where there is no space for it. */
  write(name: string, content: Buffer | Readable): Promise<void>
  /** The file, or undefined. */
  find(name: string): Promise<StoredFile | undefined>
  /** Removes a file; a missing one is no error. */
  remove(name: string): Promise<void>
  /** The names of all complete files, in no order. */
  list(): AsyncIterable<string>
}

/** The codes of a disk that is full, by its size or by a quota, or has become read-only. */
const fullDiskCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EROFS']

/** Bytes of a file that a reader keeps in memory when it stops, besides those of its connection. */
const chunkBytes = 16 * 1024

const partialMark = /\.[0-9]+-[0-9]+\.part$/
let writes = 0

/** A store in a folder, made when missing. Uploads leave `reserve` bytes of its disk free. */
export function openFolderStore(folder: string, reserve?: number): Store {
  return {
    checkSpace: freeSpaceCheck(folder, reserve),
    async write(name, content) {
      try {
        await writeWhole(join(folder, name), content)
      } catch (error) {
        const isFull = fullDiskCodes.includes((error as NodeJS.ErrnoException).code)
        throw isFull ? new StoreUnavailable(error as Error) : error
      }
    },
    async find(name) {
      const path = join(folder, name)
      const found = await stat(path).catch(undefinedIfMissing)
      if (!found?.isFile()) return undefined
      return {
        size: found.size,
        open: async (range) => (await open(path)).createReadStream({ ...range, highWaterMark: chunkBytes }),
      }
    },
    async remove(name) {
      const path = join(folder, name)
      // Also removes what a crash during a write has left behind.
      const beside = await readdir(dirname(path)).catch(() => [])
      const partials = beside.filter((each) => each.replace(partialMark, '') === basename(path))
      await Promise.all(
        [...partials, basename(path)].map((each) => rm(join(dirname(path), each), { force: true })),
      )
    },
    list: () => listFiles(folder, folder),
  }
}

async function writeWhole(path: string, content: Buffer | Readable): Promise<void> {
  const partial = `${path}.${process.pid}-${writes++}.part`
  const made = await mkdir(dirname(path), { recursive: true })
  try {
    const source = Buffer.isBuffer(content) ? Readable.from([content]) : content
    await pipeline(source, createWriteStream(partial, { flags: 'wx', flush: true }))
    await rename(partial, path)
    await syncFolders(dirname(path), made && dirname(made))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** The files below `folder`, named from `root` on. */
async function* listFiles(root: string, folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(undefinedIfMissing)
  if (!entries) return
  for await (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* listFiles(root, path)
    else if (!partialMark.test(entry.name)) yield relative(root, path).replaceAll(sep, '/')
  }
}

/** Makes new names durable, by syncing the folder and, if it was created, those above it up to one that existed. */
async function syncFolders(folder: string, upTo: string | undefined): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (upTo !== undefined && folder !== upTo) await syncFolders(dirname(folder), upTo)
}

/** The bytes of a file that is in the store, and its size; undefined where it is not, or no longer. */
export async function openFile(
  store: Store,
  name: string,
  rangeOf: (size: number) => Range | undefined = () => undefined,
): Promise<{ size: number; range: Range | undefined; content: Readable } | undefined> {
  const file = await store.find(name)
  if (!file) return undefined
  const range = rangeOf(file.size)
  try {
    return { size: file.size, range, content: await file.open(range) }
  } catch (error) {
    if ((await store.find(name)) === undefined) return undefined
    throw error
  }
}
