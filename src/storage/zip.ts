import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** A file of an archive; `isPacked`: its content is compressed already. */
export type ZipEntry = {
  name: string
  content: AsyncIterable<string | Buffer> | Readable
  isPacked?: boolean
}

/**
 * An archive of entries, which are read one after the other, as fast as the archive is: memory holds a few chunks, and
 * the names. It fails as they do. An archive that is destroyed ends the iteration.
 */
export function streamZip(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile()
  // The library declares less than the stream that it makes.
  const archive = zip.outputStream as Readable
  const aborting = new AbortController()
  archive.once('close', () => aborting.abort())
  // Who reads it sees the error, also one from before.
  archive.on('error', () => {})
  zip.on('error', (error: Error) => archive.destroy(error))

  async function addAll(): Promise<void> {
    for await (const { name, content, isPacked = false } of entries) {
      const input = content instanceof Readable ? content : Readable.from(content, { objectMode: false })
      try {
        aborting.signal.throwIfAborted()
        zip.addReadStream(input, name, { compress: !isPacked, mode: 0o100600 })
        await finished(input, { signal: aborting.signal })
      } finally {
        input.destroy()
      }
    }
    zip.end()
  }
  addAll().catch((error: Error) => archive.destroy(error))
  return archive
}

/** Values as lines of JSON; with an indent, over more lines each. */
export async function* jsonLines(
  values: AsyncIterable<unknown> | readonly unknown[],
  indent?: number,
): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value, null, indent)}\n`
}
