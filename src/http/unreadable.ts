import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../errors.ts'
import { malformedBody } from './error-handler.ts'
import { answerRaw } from './raw-failure.ts'

/**
 * Sees to the requests that Node keeps from the routes, and refuses without the envelope: one with an `Expect` header
 * that nobody can meet goes on as any other, and CONNECT is an unknown method (PROTOCOL 0.1).
 */
export function answerUnrouted(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Socket) => answerRaw(socket, new ApiError('not_found')))
}

/** Answers what is no HTTP request at all in the envelope (PROTOCOL 0.2), and hangs up: no route ever sees it. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  // What comes behind a request that has been answered is as unreadable.
  if (socket.writableEnded && !socket.destroyed) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
  answerRaw(socket, failureOf(error.code))
}

/** A method or path that HTTP does not know is an unknown one; headers without end are too large a request. */
function failureOf(code: string | undefined): ApiError {
  if (code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_URL') return new ApiError('not_found')
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('payload_too_large')
  return malformedBody()
}
