import type { FastifyServerOptions } from 'fastify'
import type { AddressOf } from './address.ts'

/** JSON logs without tokens: the header is redacted, and addresses lose their query, which may hold a file's key. */
export function loggerOptions(level: string, addressOf: AddressOf): FastifyServerOptions['logger'] {
  return {
    level,
    redact: ['req.headers.authorization', 'authorization', 'token', 'password'],
    serializers: {
      req: (request) => ({
        method: request.method,
        url: request.url?.split('?', 1)[0],
        remoteAddress: addressOf(request.raw),
      }),
    },
  }
}
