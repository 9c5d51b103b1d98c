import type { FastifyInstance, onRequestHookHandler } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether pages of other origins may not read the answers of a route. */
    isSameOrigin?: boolean
  }
}

const exposed = [
  'Link',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]

/**
 * The headers of every answer. Any page may read it, as tokens are in a header, which no browser adds by itself
 * (docs/api.md#addresses); browsers must not guess its type, run scripts in it, show it in a frame, or send a referrer
 * from it.
 */
export const defaultHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed.join(', '),
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const

/** Already in lower case: converting them for every answer would take longer than everything else about them. */
const lowerCased = Object.fromEntries(
  Object.entries(defaultHeaders).map(([name, value]) => [name.toLowerCase(), value]),
)

const { 'access-control-allow-origin': _, 'access-control-expose-headers': __, ...sameOrigin } = lowerCased

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Audit-Reason',
  'Access-Control-Max-Age': '86400',
}

/**
 * Sets the default headers and answers preflights on any path. Its hook runs before all others. @fastify/cors is not
 * used, as it computes headers for each request and these are constant.
 */
export function setDefaultHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { isSameOrigin } = request.routeOptions.config
    reply.headers(isSameOrigin ? sameOrigin : lowerCased)
    if (request.raw.method !== 'OPTIONS') return done()
    reply.code(204).headers(preflightHeaders).send()
  })
  // The hook answers; without this route, preflights would be requests for an unknown route.
  app.options('*', { schema: { hide: true } }, async (_request, reply) => reply.code(204).send())
}

const noStore: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', 'no-store')
  done()
}

/**
 * Forbids caching of answers that need a token, or contain one. Must be called after everything that adds hooks to
 * routes, so that it also applies to the refusals of those hooks.
 */
export function forbidCaching(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const isPrivate = route.schema?.security !== undefined || route.url.startsWith('/auth/')
    if (isPrivate) route.onRequest = [noStore, ...[route.onRequest ?? []].flat()]
  })
}
