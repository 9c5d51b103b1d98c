import type { InjectOptions } from 'fastify'

export type Part = { name: string; value: string | Buffer; filename?: string; type?: string }

/** The options of a request with a multipart body. */
export function multipart(...parts: Part[]): InjectOptions {
  const boundary = 'a-boundary-of-ours'
  const chunks = parts.flatMap(({ name, value, filename, type }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n`
    const named = type ?? (filename === undefined ? undefined : 'application/octet-stream')
    const line = named === undefined ? '' : `Content-Type: ${named}\r\n`
    return [Buffer.from(`${head}${line}\r\n`), Buffer.from(value), Buffer.from('\r\n')]
  })
  const payload = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

/** The part with the file. */
export function filePart(value: string | Buffer, filename = 'note.txt', type = 'text/plain'): Part {
  return { name: 'file', value, filename, type }
}
