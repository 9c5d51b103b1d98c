import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'

/**
 * How many bytes of a refused upload are read and discarded, so that the answer reaches a client that is still
 * sending.
 */
const maxDiscardedBytes = 64 * 1024 * 1024
/** How long a refusal waits for the end of the body, after which the connection can stay open. */
const graceMs = 100
/** How long a client may go on sending after a refusal. */
const lingerMs = 30_000

/**
 * Whether more of a body is to come. After the headers of PRI, with which HTTP/2 begins, Node closes the connection.
 */
export function isReceiving({ complete, method, headers }: IncomingMessage): boolean {
  // Undefined for requests that came over no connection (they were injected).
  if (complete !== false || method === 'PRI') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Answers a request that is refused before its body has been read, after the grace at most. */
export async function refuseEarly(reply: FastifyReply, envelope: object): Promise<void> {
  const { raw } = reply.request
  const received = discardRest(raw)
  await settleWithin(graceMs, received)
  if (raw.complete || raw.method === 'HEAD') reply.send(envelope)
  else answerUnfinished(reply, envelope, received)
}

/**
 * Reads the rest of a request, up to `maxDiscardedBytes`, and discards it. Settles when the request has ended or
 * failed.
 */
function discardRest(raw: IncomingMessage): Promise<void> {
  let discardedBytes = 0
  raw.on('data', (chunk: Buffer) => {
    discardedBytes += chunk.length
    if (discardedBytes > maxDiscardedBytes) raw.destroy()
  })
  // The previous reader of the body has stopped, and may have paused it.
  raw.unpipe().resume()
  return finished(raw, { writable: false }).catch(() => {})
}

/**
 * Answers a client that is still sending. It gets the body of the answer now; the response ends, and the connection
 * closes, when the client has sent everything or disconnected, or after `lingerMs`: closing earlier would reset the
 * connection before the answer is read. The connection cannot be kept alive, as some clients stop sending the body once
 * they are answered.
 */
function answerUnfinished(reply: FastifyReply, envelope: object, received: Promise<void>): void {
  const text = JSON.stringify(envelope)
  reply.headers({
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  reply.send(Readable.from(until(received, text)))
}

async function* until(received: Promise<void>, text: string) {
  yield Buffer.from(text)
  await settleWithin(lingerMs, received)
}

function settleWithin(ms: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const stopWaiting = stallTolerantTimeout(ms, resolve)
    done.then(() => {
      stopWaiting()
      resolve()
    })
  })
}
