import type { FastifyInstance, onRequestHookHandler } from 'fastify'

const exposed = [
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]

/**
 * The headers of every answer. Any page may read it (PROTOCOL 0.1: tokens are in a header, which no browser adds by
 * itself); browsers must not guess its type, run scripts in it, show it in a frame, or send a referrer from it.
 */
export const standingHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed.join(', '),
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const

/** Already in lower case: converting them for every answer would take longer than everything else about them. */
const lowerCased = Object.fromEntries(
  Object.entries(standingHeaders).map(([name, value]) => [name.toLowerCase(), value]),
)

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  'Access-Control-Max-Age': '86400',
}

/**
 * Sets the standing headers and answers preflights on any path. Its hook runs before all others. Not done by
 * @fastify/cors, which makes its headers anew for each request, as ours are always the same.
 */
export function setStandingHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(lowerCased)
    if (request.raw.method !== 'OPTIONS') return done()
    reply.code(204).headers(preflightHeaders).send()
  })
  // The hook answers; without this route, preflights would be requests for an unknown route.
  app.options('*', { schema: { hide: true } }, async (_request, reply) => reply.code(204).send())
}

const keepOut: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', 'no-store')
  done()
}

/**
 * Keeps answers that need a token, or contain one, out of caches. Must be called after everything that adds hooks to
 * routes, so that this also holds for what those refuse.
 */
export function keepOutOfCaches(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const isPrivate = route.schema?.security !== undefined || route.url.startsWith('/auth/')
    if (isPrivate) route.onRequest = [keepOut, ...[route.onRequest ?? []].flat()]
  })
}
