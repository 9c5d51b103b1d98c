import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { Static, TSchema } from '@sinclair/typebox'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { maxAttachmentBytes } from '../../messages/schemas.ts'
import { CliError } from '../command.ts'
import { entryName, Manifest, maxEntries, maxListBytes } from './format.ts'
import { validatorOf } from './validation.ts'

/** JSON is compressed to a tenth or so; a bomb to a thousandth. */
const maxExpansion = 100
const minAllowedBytes = 16 * 2 ** 20

/** An archive of a house whose names and sizes are within bounds. What is in its entries is checked as it is read. */
export type Archive = {
  manifest: Manifest
  /** The values of a list, all at once; a missing list is empty. */
  readList<Schema extends TSchema>(name: string, schema: Schema): Promise<Static<Schema>[]>
  /** The values of a list, one after the other. */
  readLines<Schema extends TSchema>(name: string, schema: Schema): AsyncGenerator<Static<Schema>>
  /** The bytes of an entry, or undefined. They fail where they are not what the archive says. */
  open(name: string): Promise<Readable | undefined>
  close(): void
}

/** Reasons why an archive cannot be opened, by the code of the error; errors of the ZIP library have no code. */
const reasons: Record<string, string> = {
  '': 'it is no ZIP file, or not a whole one',
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
}

/** Opens an archive. Throws `CliError` where the file is none, or a hostile one. */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CliError(`${path} cannot be read: ${reasons[error.code ?? ''] ?? error.message}.`)
    },
  )
  try {
    const entries = await listEntries(zip)
    const reader = readerOf(zip, entries)
    const [manifest] = await reader.readList('manifest.json', Manifest)
    if (!manifest) throw new CliError('The archive has no manifest.json.')
    return { ...reader, manifest }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxEntries) throw new CliError(`The archive has more than ${maxEntries} files.`)
  const entries = new Map<string, Entry>()
  let bytes = 0
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize } = entry
      const isList = /^[a-z]+\.json/.test(fileName)
      if (!entryName.test(fileName)) throw new CliError('The archive has a file that no house archive has.')
      if (entries.has(fileName)) throw new CliError(`The archive has ${fileName} twice.`)
      if (entry.isEncrypted()) throw new CliError('The archive is encrypted.')
      bytes += uncompressedSize
      if (bytes > Math.max(zip.fileSize * maxExpansion, minAllowedBytes)) {
        throw new CliError('The archive unpacks to far more than a house archive does.')
      }
      if (isList && uncompressedSize > maxListBytes)
        throw new CliError(`The archive has too long a list: ${fileName}.`)
      entries.set(fileName, entry)
    }
  } catch (error) {
    throw error instanceof CliError
      ? error
      : new CliError('The archive is damaged: its list of files is wrong.')
  }
  return entries
}

function readerOf(zip: ZipFile, entries: Map<string, Entry>): Omit<Archive, 'manifest'> {
  async function open(name: string): Promise<Readable | undefined> {
    const entry = entries.get(name)
    if (!entry) return undefined
    if (/^(?:attachments\/|icon)/.test(name) && entry.uncompressedSize > maxAttachmentBytes) {
      throw new CliError(`The archive has a file that is larger than files are: ${name}.`)
    }
    const content = await zip.openReadStreamPromise(entry).catch(() => {
      throw damaged(name)
    })
    return Readable.from(checked(content, entry), { objectMode: false })
  }

  async function* readLines<Schema extends TSchema>(
    name: string,
    schema: Schema,
  ): AsyncGenerator<Static<Schema>> {
    const content = await open(name)
    if (!content) return
    const isValid = validatorOf(schema)
    let number = 0
    for await (const line of linesOf(content, name)) {
      number += 1
      const value = parse(line)
      if (!isValid(value)) throw new CliError(`Line ${number} of ${name} is not as it should be.`)
      yield value
    }
  }

  return {
    open,
    readLines,
    async readList(name, schema) {
      const values: Static<typeof schema>[] = []
      for await (const value of readLines(name, schema)) values.push(value)
      return values
    },
    close: () => zip.close(),
  }
}

/** The bytes, where size and checksum are those of the list. */
async function* checked(content: Readable, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch {
    throw damaged(entry.fileName)
  }
  if (sum !== entry.crc32) throw damaged(entry.fileName)
}

const maxLineLength = 2 ** 20

/** The lines of a text. Fails at one that would fill the memory. */
async function* linesOf(content: Readable, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const lines = (rest + decode(decoder, chunk, name)).split('\n')
    rest = lines.pop()!
    if (rest.length > maxLineLength) throw new CliError(`A line of ${name} is too long.`)
    yield* lines
  }
  if (rest !== '') throw damaged(name)
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk: Buffer, name: string): string {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch {
    throw damaged(name)
  }
}

function damaged(name: string): CliError {
  return new CliError(`The archive is damaged: ${name} is not whole.`)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
