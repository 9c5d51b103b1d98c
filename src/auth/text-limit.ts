import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RateLimitError } from '../errors.ts'
import { makesGrow } from '../http/load/database-space.ts'
import type { RateLimit } from '../http/load/rate-limit.ts'
import { isAuthenticator } from './plugin.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many rows a request writes at most, where a body can ask for more than one. */
    rowsOf?: (body: Record<string, unknown>) => number
  }
  interface FastifyInstance {
    /** Requests refused so far because of the text of a day. */
    refusedText: number
    /** Counts text and rows for a key. Throws `RateLimitError`. */
    countText(key: string, text: { bytes: number; rows: number }, reply: FastifyReply): Promise<void>
    /** Counts the text of a request for the owner of its caller; a failure of the request takes it back. */
    countTextOf(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<void>
  }
  interface FastifyRequest {
    /** Bytes of text that were counted. */
    countedText: number
  }
}

/** Bytes that a row takes besides its text, its entries in indexes included. */
const rowBytes = 256
/** Fields that do not count: pictures are files. */
const pictures = new Set(['icon', 'header'])

/**
 * Limits the text that a person writes in a day (docs/api.md#rate-limits): every body of a writing route with a caller,
 * and `rowBytes` for each row. Only requests without a body to routes that go on while the disk is full do not count.
 */
export function limitText(app: FastifyInstance, limit: RateLimit): void {
  app.decorate('refusedText', 0)
  app.decorateRequest('countedText', 0)
  app.decorate('countText', async (key, { bytes, rows }, reply) => {
    try {
      await limit.count(key, { count: bytes + rows * rowBytes, reply, onlyRefused: true })
    } catch (error) {
      if (error instanceof RateLimitError) app.refusedText += 1
      throw error
    }
  })
  app.decorate('countTextOf', async (request, reply, body) => {
    const { rowsOf, goesOnWhenFull } = request.routeOptions.config
    const bytes = bytesOf(body ?? {})
    if (goesOnWhenFull && bytes === 0) return
    const reasonBytes = String(request.headers['x-audit-reason'] ?? '').length
    const rows = rowsOf?.((body ?? {}) as Record<string, unknown>) ?? 1
    await app.countText(request.caller.owner_id, { bytes: bytes + reasonBytes, rows }, reply)
    request.countedText += bytes + reasonBytes + rows * rowBytes
  })
  const count = (request: FastifyRequest, reply: FastifyReply) =>
    app.countTextOf(request, reply, request.body)
  async function giveBack(request: FastifyRequest): Promise<void> {
    const counted = request.countedText
    if (counted > 0) await limit.giveBack(request.caller.owner_id, counted)
  }
  app.addHook('onRoute', (route) => {
    if (!makesGrow(route.method) || ![route.onRequest ?? []].flat().some(isAuthenticator)) return
    route.preHandler = [count, ...[route.preHandler ?? []].flat()]
    route.onError = [giveBack, ...[route.onError ?? []].flat()]
  })
}

/** The bytes of the text in a body, and 8 for each other value. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + bytesOf(each), 0)
  if (typeof value !== 'object' || value === null) return 8
  let sum = 0
  for (const [key, each] of Object.entries(value)) if (!pictures.has(key)) sum += bytesOf(each)
  return sum
}
