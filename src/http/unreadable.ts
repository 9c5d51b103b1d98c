import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../errors.ts'
import { malformedBody } from './error-handler.ts'
import { standingHeaders } from './standing-headers.ts'
import { statusTexts } from './status-texts.ts'

/**
 * Sees to the requests that Node keeps from the routes, and refuses without the envelope: one with an `Expect` header
 * that nobody can meet goes on as any other, and CONNECT is an unknown method (PROTOCOL 0.1).
 */
export function answerUnrouted(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Socket) => hangUp(new ApiError('not_found'), socket))
}

/** Answers what is no HTTP request at all in the envelope (PROTOCOL 0.2), and hangs up: no route ever sees it. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
  hangUp(failureOf(error.code), socket)
}

function hangUp({ code, status, message }: ApiError, socket: Socket): void {
  const body = JSON.stringify({ success: false, error: { code, message } })
  const lines = [
    `HTTP/1.1 ${status} ${statusTexts[status]}`,
    ...Object.entries(standingHeaders).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** A method or path that HTTP does not know is an unknown one; headers without end are too large a request. */
function failureOf(code: string | undefined): ApiError {
  if (code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_URL') return new ApiError('not_found')
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('payload_too_large')
  return malformedBody()
}
