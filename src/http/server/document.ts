import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { namesEtag } from './etag.ts'

type SendDocument = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
type Made = { plain: Buffer; compressed: Buffer; etag: string }

const compress = promisify(gzip)

/** Sends a text that never changes while the process lives: it is made and compressed once, and has an ETag. */
export function documentSender(type: string, make: () => string): SendDocument {
  let made: Promise<Made> | undefined
  return async ({ headers }, reply) => {
    made ??= prepare(make())
    const { plain, compressed, etag } = await made
    reply.headers({ 'cache-control': 'no-cache', vary: 'Accept-Encoding', etag })
    if (namesEtag(headers['if-none-match'], etag)) return reply.code(304).send()
    reply.type(type)
    if (!acceptsGzip(headers['accept-encoding'])) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(compressed)
  }
}

async function prepare(text: string): Promise<Made> {
  const plain = Buffer.from(text)
  // Weak, as it names the content in both encodings.
  return { plain, compressed: await compress(plain), etag: `W/"${hash('sha256', plain).slice(0, 40)}"` }
}

function acceptsGzip(header = ''): boolean {
  return header.split(',').some((each) => /^\s*gzip\s*(?:;\s*q=(?:1|0\.0*[1-9])[\d.]*\s*)?$/.test(each))
}
