import type { Duplex } from 'node:stream'
import type { ApiError } from '../errors.ts'
import { standingHeaders } from './standing-headers.ts'

/**
 * Not imported: an `import` of `node:http` evaluates all of its exports, the HTTP client among them, which makes a
 * process 13 MB larger.
 */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** For so long, in ms, what a client still sends is thrown away. */
const lingerMs = 5_000

/**
 * Answers a failure in its envelope over a connection that has no reply to answer with, and hangs up. `beside` stands
 * next to `error` in the envelope.
 */
export function answerRaw(
  stream: Duplex,
  { code, status, message }: ApiError,
  headers: Record<string, string | number> = {},
  beside: Record<string, unknown> = {},
): void {
  const body = JSON.stringify({ success: false, error: { code, message }, ...beside })
  const all = {
    Connection: 'close',
    ...standingHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  linger(stream)
}

/** Waits for the client to hang up: a connection that is closed with something unread is reset, and the answer lost. */
function linger(stream: Duplex): void {
  const timer = setTimeout(() => stream.destroy(), lingerMs).unref()
  stream.once('close', () => clearTimeout(timer)).resume()
}
