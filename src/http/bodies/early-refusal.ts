import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'

/**
 * How many bytes of a refused upload are read and thrown away, so that the answer reaches a client that is still
 * sending.
 */
const maxSwallowedBytes = 64 * 1024 * 1024
/** How long a refusal waits for the end of the body: with most it comes in a moment, and the connection stays open. */
const graceMs = 100
/** How long a client may go on sending after a refusal. */
const lingerMs = 30_000

/** Whether more of a body is to come. After the headers of PRI, with which HTTP/2 begins, Node closes the connection. */
export function isReceiving({ complete, method, headers }: IncomingMessage): boolean {
  // Undefined for requests that came over no connection (they were injected).
  if (complete !== false || method === 'PRI') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Answers a request that is refused before its body has been read, after the grace at most. */
export async function refuseEarly(reply: FastifyReply, envelope: object): Promise<void> {
  const { raw } = reply.request
  const received = swallow(raw)
  await orAfter(graceMs, received)
  if (raw.complete || raw.method === 'HEAD') reply.send(envelope)
  else answerUnfinished(reply, envelope, received)
}

/** Reads the rest of a request, for a while, and throws it away. Settles when it has ended, in one way or another. */
function swallow(raw: IncomingMessage): Promise<void> {
  let swallowed = 0
  raw.on('data', (chunk: Buffer) => {
    swallowed += chunk.length
    if (swallowed > maxSwallowedBytes) raw.destroy()
  })
  // Whoever was reading the body has given up, perhaps in a pause.
  raw.unpipe().resume()
  return finished(raw, { writable: false }).catch(() => {})
}

/**
 * Answers a client that is still sending. It gets the whole answer now, but the end of it, with which the connection
 * closes, only when it has sent everything or gone away, or after a while: closing earlier would reset the connection
 * before the answer is read. The connection could not stay open for another request, as some clients send no more of
 * this one once they are answered.
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
  await orAfter(lingerMs, received)
}

function orAfter(ms: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const stopWaiting = stallTolerantTimeout(ms, resolve)
    done.then(() => {
      stopWaiting()
      resolve()
    })
  })
}
