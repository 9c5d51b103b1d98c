import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isDatabaseUnavailable } from '../database/availability/unavailable.ts'
import { CliError } from './command.ts'

/*
 * A backup is a folder: `manifest.json`, `database/<table>.copy` (the text form of COPY), `files/<name>` (the store)
 * and `files.jsonl`, which lists them. The manifest is written last: a folder without one is no backup.
 */

const formatVersion = 1

const Manifest = Type.Object({
  format: Type.Literal(formatVersion),
  made_at: Type.String(),
  /** The version of the tables. */
  migrations: Type.Array(Type.String()),
  /** Each after those it points to. */
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.Array(Type.String()),
      rows: Type.Integer(),
      sha256: Type.String(),
    }),
  ),
  files: Type.Object({ count: Type.Integer(), sha256: Type.String() }),
})
export type Manifest = Static<typeof Manifest>

const ListedFile = Type.Object({ name: Type.String(), size: Type.Integer(), sha256: Type.String() })
export type ListedFile = Static<typeof ListedFile>

const manifestPath = (folder: string) => join(folder, 'manifest.json')
export const tablePath = (folder: string, name: string) => join(folder, 'database', `${name}.copy`)
export const filesPath = (folder: string) => join(folder, 'files')
export const fileListPath = (folder: string) => join(folder, 'files.jsonl')

export async function writeManifest(folder: string, manifest: Omit<Manifest, 'format'>): Promise<void> {
  const text = `${JSON.stringify({ format: formatVersion, ...manifest }, null, 2)}\n`
  await writeFile(manifestPath(folder), text, { flag: 'wx', mode: 0o600, flush: true })
}

/** The manifest of a backup. Throws `CliError` for a folder that is none. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = manifestPath(folder)
  const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES') throw new CliError(`${path} cannot be read: this user may not read it.`)
    if (code === 'ENOENT' && !existsSync(folder)) throw new CliError(`There is no folder ${folder}.`)
    throw new CliError(`${folder} is no backup: it has no manifest.json that can be read.`)
  })
  const manifest = parse(text)
  if (!Value.Check(Manifest, manifest)) {
    throw new CliError(`${manifestPath(folder)} is not a manifest of format ${formatVersion}.`)
  }
  return manifest
}

/** The files a backup lists. Throws `CliError` for a line that is none, and for a name that leads out of a store. */
export async function* readFileList(folder: string, tally: Tally): AsyncGenerator<ListedFile> {
  const path = fileListPath(folder)
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    tally.add(Buffer.from(`${line}\n`))
    const file = parse(line)
    if (!Value.Check(ListedFile, file) || /(^\/)|(^|\/)\.\.(\/|$)/.test(file.name)) {
      throw new CliError(`${path} is damaged: "${line.slice(0, 80)}" is no file.`)
    }
    yield file
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Counts and hashes bytes. */
type Tally = { readonly bytes: number; add(chunk: Buffer): void; sha256(): string }

export function createTally(): Tally {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    add(chunk) {
      hash.update(chunk)
      bytes += chunk.length
    },
    sha256: () => hash.copy().digest('hex'),
  }
}

/** Passes bytes through, and adds them to a tally. */
export async function* countedBy(source: AsyncIterable<Buffer>, tally: Tally): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    tally.add(chunk)
    yield chunk
  }
}

/** A new file with mode 600: a backup contains password hashes and e-mail addresses. */
export function createFile(path: string) {
  return createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
}

/** Translates file system errors into a sentence. */
export async function withFolderErrors<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { errno, path, message } = error as NodeJS.ErrnoException
    if (errno === undefined || (path === undefined && isDatabaseUnavailable(error))) throw error
    throw new CliError(`Backup folder ${folder}: ${message}.`)
  }
}
