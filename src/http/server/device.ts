import type { FastifyRequest } from 'fastify'

const maxClientLength = 256

/** What a client says of itself, cut, and where it calls from. */
export function deviceOf(request: FastifyRequest): { client: string; address: string } {
  const client = (request.headers['user-agent'] ?? '').replace(/\p{Cc}/gu, '').toWellFormed()
  return {
    client: [...client].slice(0, maxClientLength).join(''),
    address: request.server.addressOf(request.raw),
  }
}
