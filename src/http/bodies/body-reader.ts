import type { ServerResponse } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest, onSendHookHandler, preParsingHookHandler } from 'fastify'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { ApiError, malformedBody } from '../../errors.ts'
import { networkOf } from '../server/address.ts'
import { type BodyBudget, type CountedBody, createBodyBudget } from './body-budget.ts'
import { limitArrival } from './body-timeout.ts'

declare module 'fastify' {
  interface FastifyInstance {
    bodies: Pick<BodyBudget, 'bytes'>
  }
  interface FastifyRequest {
    /** What the request is answered by, on routes that read a body. */
    response: ServerResponse | undefined
    /** The size of the body that was read. */
    bodyBytes: number
    /** Releases the memory of the body; undefined if it is too small to count. */
    releaseBody: (() => void) | undefined
  }
}

/** Memory for all request bodies, in bytes: an eighth of a heap that is smaller than 2 GiB. */
const defaultBytes = Math.min(256 * 1024 * 1024, getHeapStatistics().heap_size_limit / 8)
/** The time in which a body that is no upload has to arrive. */
const defaultTimeoutMs = 30_000
/** Smaller bodies are not counted: they are short-lived, and no larger than the buffers of a connection. */
const countedFromBytes = 16 * 1024
/**
 * Bodies larger than this contain pictures, or the event of a service that calls a webhook. A fair queue parses and
 * handles them: parsed, one takes several times its size, and while it waits it can still be refused.
 */
const largeBodyBytes = 256 * 1024
const largeBodiesAtOnce = 4

/** `bytes`: memory for all bodies. `timeoutMs` does not apply to a body that may have more than `uploadsFrom` bytes. */
type BodyLimits = { bytes?: number | undefined; uploadsFrom: number; timeoutMs?: number | undefined }

/** `read` reads a body whole, or (not kept) to its end. The hooks belong to every route that reads one. */
type BodyReader = { read: ReadBody; preParsing: preParsingHookHandler; onSend: onSendHookHandler }
type ReadBody = (request: FastifyRequest, isKept: boolean, done: Done) => void
type Done = (error: Error | null, body?: Buffer) => void

/**
 * Reads request bodies. What has been received counts in a budget, which users share evenly, and addresses where there
 * is no user: past it the latest body of the owner with the most bytes is refused with `unavailable`. Throws
 * `payload_too_large`, at once where `Content-Length` exceeds the limit, and `invalid_schema` where the client stops
 * early or is too slow.
 */
export function createBodyReader(app: FastifyInstance, limits: BodyLimits): BodyReader {
  const { bytes: maxBytes = defaultBytes, uploadsFrom, timeoutMs = defaultTimeoutMs } = limits
  const budget = createBodyBudget(maxBytes)
  const runInTurn = createFairQueue({ atOnce: largeBodiesAtOnce, waiting: Number.POSITIVE_INFINITY })
  app.decorate('bodies', budget)
  app.decorate('bodyTimeoutMs', timeoutMs)
  app.decorateRequest('response')
  app.decorateRequest('bodyBytes', 0)
  app.decorateRequest('releaseBody')

  const read: ReadBody = (request, isKept, done) => {
    const { raw } = request
    const limit = request.routeOptions.bodyLimit
    const announced = Number(request.headers['content-length'] ?? limit)
    if (announced > limit) return done(new ApiError('payload_too_large'))
    let content = emptyBuffer
    let bytes = 0
    let counted: CountedBody | undefined
    const isUpload = Math.min(limit, announced) > uploadsFrom
    const stopWaiting = isUpload ? undefined : limitArrival(request, () => refuse(malformedBody()))

    function onData(chunk: Buffer): void {
      bytes += chunk.length
      if (bytes > limit) refuse(new ApiError('payload_too_large'))
      else if (isKept) keep(chunk)
    }
    function keep(chunk: Buffer): void {
      content = append(content, bytes - chunk.length, chunk, announced)
      if (bytes <= countedFromBytes) return
      counted ??= { owner: ownerOf(request), bytes: 0, refuse: () => refuse(new ApiError('unavailable')) }
      if (!request.releaseBody) releaseLater(request, end)
      budget.add(counted, bytes - counted.bytes)
    }
    function onEnd(): void {
      stop()
      request.bodyBytes = bytes
      const body = counted
      if (!body || bytes <= largeBodyBytes) pass()
      // Meanwhile it may have been refused, or the client may have disconnected.
      else void runInTurn(body.owner, async () => (body.bytes === 0 ? undefined : untilEnded(request, pass)))
    }
    function onError(): void {
      refuse(malformedBody())
    }
    function pass(): void {
      if (counted) budget.settle(counted)
      const body = content.subarray(0, bytes)
      content = emptyBuffer
      done(null, body)
    }
    function refuse(error: ApiError): void {
      end()
      done(error)
    }
    /** Releases the memory of the body. */
    function end(): void {
      stop()
      content = emptyBuffer
      if (counted) budget.release(counted)
    }
    function stop(): void {
      stopWaiting?.()
      raw.off('data', onData).off('end', onEnd).off('error', onError)
    }
    raw.on('data', onData).on('end', onEnd).on('error', onError)
  }

  function ownerOf(request: FastifyRequest): string {
    return request.caller?.owner_id ?? networkOf(app.addressOf(request.raw))
  }

  return { read, preParsing: keepResponse, onSend: releaseBody }
}

const emptyBuffer: Buffer = Buffer.alloc(0)

/** Appends a chunk to a buffer that doubles as it grows, so that many tiny chunks cost little. */
function append(content: Buffer, length: number, chunk: Buffer, most: number): Buffer {
  if (length === 0) return chunk
  const needed = length + chunk.length
  const grows = needed > content.length
  const target = grows ? Buffer.allocUnsafeSlow(Math.max(needed, Math.min(most, 2 * length))) : content
  if (grows) content.copy(target, 0, 0, length)
  chunk.copy(target, length)
  return target
}

/** Releases the body when the request is answered, or the client has disconnected. */
function releaseLater(request: FastifyRequest, end: () => void): void {
  request.releaseBody = end
  request.response!.once('close', () => request.releaseBody?.())
}

/** Starts work on a body; settles when the body is released. */
function untilEnded(request: FastifyRequest, start: () => void): Promise<void> {
  return new Promise((resolve) => {
    const end = request.releaseBody
    request.releaseBody = () => {
      end?.()
      resolve()
    }
    start()
  })
}

const keepResponse: preParsingHookHandler = (request, reply, _payload, done) => {
  request.response = reply.raw
  done()
}

/** Releases the body before the answer is sent: a slow reader must not keep it in memory. */
const releaseBody: onSendHookHandler = (request, _reply, _payload, done) => {
  if (request.releaseBody) request.body = undefined
  request.releaseBody?.()
  done()
}
