import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, malformedBody } from '../../errors.ts'
import { endWith, writeRawFailure } from './raw-failure.ts'

/**
 * Handles requests that Node would refuse by itself, without the envelope: an `Expect` header that cannot be met is
 * ignored, and CONNECT is an unknown method (docs/api.md#addresses).
 */
export function handleUnroutedRequests(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Socket) => writeRawFailure(socket, new ApiError('not_found')))
}

/**
 * Answers, in the envelope, data that is not an HTTP request at all (docs/api.md#responses), and closes the connection.
 */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // Data that follows an answered request may be unreadable, too.
  if (socket.writableEnded && !socket.destroyed) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
  // Browsers connect ahead of what they will ask for: where no request has come there is nothing to answer.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    if (socket.bytesRead === 0) socket.destroy()
    else endWith(socket, requestTimeout)
    return
  }
  writeRawFailure(socket, failureOf(error.code))
}

const requestTimeout = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** `not_found` for an invalid method or path, `payload_too_large` for headers that are too long. */
function failureOf(code: string | undefined): ApiError {
  if (code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_URL') return new ApiError('not_found')
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('payload_too_large')
  return malformedBody()
}
