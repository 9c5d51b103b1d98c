import type { FastifyRequest } from 'fastify'
import { stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'
import { isReceiving } from './early-refusal.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The time in which a body that is no upload has to arrive, in ms. */
    bodyTimeoutMs: number
  }
}

/** Calls `onTimeout` if the rest of a body does not arrive in time. Returns a function that cancels that. */
export function limitArrival({ raw, server }: FastifyRequest, onTimeout: () => void): () => void {
  if (!isReceiving(raw)) return () => {}
  return stallTolerantTimeout(server.bodyTimeoutMs, () => {
    server.countLateBody()
    onTimeout()
  })
}
