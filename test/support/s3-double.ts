import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const listedAtOnce = 2

/**
 * As much of the S3 wire protocol as the store uses, path-style and in memory: put, head, get (with a range), delete,
 * list (two a page), and multipart uploads. It checks no signatures. A stand-in because no maintained S3 server comes
 * from npm or Debian. With the port and the objects of one that was stopped it goes on as that.
 */
export async function startS3Double(onPort = 0, objects = new Map<string, Buffer>()) {
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>()
  let begun = 0
  const seen: string[] = []
  const trouble: { with: undefined | number | 'no answer'; at(url: string): boolean } = {
    with: undefined,
    at: () => true,
  }
  const server = createServer(async (request, reply) => {
    if (trouble.with !== undefined && trouble.at(request.url!)) {
      if (trouble.with !== 'no answer') reply.writeHead(trouble.with).end()
      return
    }
    const url = new URL(request.url!, 'http://s3')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const key = decodeURIComponent(url.pathname)
    const uploadId = url.searchParams.get('uploadId')
    const part = url.searchParams.get('partNumber')
    seen.push(`${request.method} ${part ? `part ${part}` : uploadId ? 'upload' : 'object'} ${body.length}`)
    const xml = (text: string) => reply.writeHead(200, { 'content-type': 'application/xml' }).end(text)
    if (request.method === 'POST' && url.searchParams.has('uploads')) {
      const id = String(++begun)
      uploads.set(id, { key, parts: new Map() })
      xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    } else if (request.method === 'PUT' && uploadId) {
      uploads.get(uploadId)!.parts.set(Number(part), body)
      reply.writeHead(200, { etag: `"${part}"` }).end()
    } else if (request.method === 'POST' && uploadId) {
      const parts = [...uploads.get(uploadId)!.parts].sort(([a], [b]) => a - b)
      objects.set(key, Buffer.concat(parts.map(([, bytes]) => bytes)))
      uploads.delete(uploadId)
      xml('<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
    } else if (request.method === 'DELETE') {
      if (uploadId) uploads.delete(uploadId)
      else objects.delete(key)
      reply.writeHead(204).end()
    } else if (request.method === 'PUT') {
      objects.set(key, body)
      reply.writeHead(200, { etag: '"x"' }).end()
    } else if (url.searchParams.has('uploads')) {
      const start = `${key.replace(/\/$/, '')}/`
      const rows = [...uploads]
        .map(([id, upload]) => ({ id, name: upload.key.slice(start.length) }))
        .filter(({ name }) => name.startsWith(url.searchParams.get('prefix') ?? ''))
        .map(({ id, name }) => `<Upload><Key>${name}</Key><UploadId>${id}</UploadId></Upload>`)
      xml(`<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`)
    } else if (url.searchParams.has('list-type')) {
      const start = `${key.replace(/\/$/, '')}/`
      const after = url.searchParams.get('continuation-token') ?? ''
      const names = [...objects.keys()]
        .filter((name) => name.startsWith(start))
        .map((name) => name.slice(start.length))
      const wanted = names.filter((name) => name.startsWith(url.searchParams.get('prefix') ?? '')).sort()
      const left = wanted.filter((name) => name > after)
      const page = left.slice(0, listedAtOnce)
      const rows = page.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('')
      const more =
        left.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
      xml(`<ListBucketResult>${rows}${more}</ListBucketResult>`)
    } else {
      const object = objects.get(key)
      if (!object) return reply.writeHead(404).end()
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
      const bytes = from === undefined ? object : object.subarray(Number(from), Number(to) + 1)
      reply.writeHead(from === undefined ? 200 : 206, { 'content-length': bytes.length, etag: '"x"' })
      reply.end(request.method === 'HEAD' ? undefined : bytes)
    }
  })
  await new Promise<void>((resolve) => server.listen(onPort, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    uploads,
    /** Has every request, or those at some URLs, be refused with a status, or not be answered. */
    trouble,
    /** Each request: method, what it was for, bytes of its body. */
    seen,
    stop() {
      const stopped = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      return stopped
    },
  }
}
