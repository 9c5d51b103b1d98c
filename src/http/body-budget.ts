import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route passes a body on as it comes: it is never whole in memory. */
    streamsBody?: boolean
  }
}

/** Memory for all request bodies that are being received, in bytes; small bodies do not count. */
const budgetBytes = 256 * 1024 * 1024
const smallBytes = 16 * 1024
/** Concurrent big bodies (with pictures) of one caller. */
const bigBytes = 256 * 1024
const maxBigOfCaller = 8

/**
 * Limits the memory of all request bodies together, so that many slow ones do not add up: past the limit further ones
 * are refused with `unavailable`. Routes that stream their bodies are left out; on all others every type counts.
 */
export function keepBudget(): preParsingHookHandler {
  let left = budgetBytes
  const bigOnes = new Map<string, number>()

  return (request, reply, _payload, done) => {
    const length = Number(request.headers['content-length'] ?? (isChunked(request) ? Infinity : 0))
    if (length <= smallBytes || request.routeOptions.config.streamsBody) return done()
    const limit = request.routeOptions.bodyLimit
    // Will be refused for its size before it is read.
    if (length !== Infinity && length > limit) return done()
    const bytes = Math.min(length, limit)
    const who = request.caller?.id ?? request.server.addressOf(request.raw)
    const isBig = bytes > bigBytes
    const already = isBig ? (bigOnes.get(who) ?? 0) : 0
    if (bytes > left || already >= maxBigOfCaller) return done(new ApiError('unavailable'))
    left -= bytes
    if (isBig) bigOnes.set(who, already + 1)
    reply.raw.once('close', () => {
      left += bytes
      const others = isBig ? bigOnes.get(who)! - 1 : 0
      if (others > 0) bigOnes.set(who, others)
      else if (isBig) bigOnes.delete(who)
    })
    done()
  }
}

function isChunked(request: FastifyRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined
}
