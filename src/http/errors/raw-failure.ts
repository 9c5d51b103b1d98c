import type { Duplex } from 'node:stream'
import type { ApiError } from '../../errors.ts'
import { defaultHeaders } from '../server/default-headers.ts'

/** Not an `import`, which would evaluate all exports of `node:http`, among them the HTTP client: that takes 13 MB. */
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** How long data that the client is still sending is read and discarded, in ms. */
const lingerMs = 5_000

/**
 * Writes a failure in its envelope to a connection for which there is no reply object, and closes it. The fields of
 * `beside` stand next to `error` in the envelope.
 */
export function writeRawFailure(
  stream: Duplex,
  { code, status, message }: ApiError,
  headers: Record<string, string | number> = {},
  beside: Record<string, unknown> = {},
): void {
  const body = JSON.stringify({ success: false, error: { code, message }, ...beside })
  const all = {
    Connection: 'close',
    ...defaultHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  endWith(stream, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/** Writes a last text to a connection and closes it, also one whose client does not. */
export function endWith(stream: Duplex, text: string): void {
  stream.end(text)
  linger(stream)
}

/**
 * Waits for the client to close: if we closed with data unread, the connection would be reset and the answer lost. The
 * client may reset it, too: without a listener, which Node takes off after a CONNECT, that would end the process.
 */
function linger(stream: Duplex): void {
  stream.on('error', () => {})
  const timer = setTimeout(() => stream.destroy(), lingerMs).unref()
  stream.once('close', () => clearTimeout(timer)).resume()
}
