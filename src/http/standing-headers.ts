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
 * On every answer: any page may read it (PROTOCOL 0.1: tokens come in a header, which no browser adds by itself),
 * nothing guesses another type for it, nothing in it runs or is framed, and where it was asked from is told to nobody.
 */
export const standingHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed.join(', '),
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const

/**
 * In lower case, as they are sent: to bring them into it for every answer would take longer than all else about them.
 */
const lowerCased = Object.fromEntries(
  Object.entries(standingHeaders).map(([name, value]) => [name.toLowerCase(), value]),
)

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  'Access-Control-Max-Age': '86400',
}

/**
 * Sets the standing headers, answers preflights on any path, and keeps what is behind a token, or holds one, out of
 * every cache. By itself, as they are the same on all: @fastify/cors puts its own together anew for each request. Comes
 * before every other hook.
 */
export function setStandingHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(lowerCased)
    if (request.raw.method !== 'OPTIONS') return done()
    reply.code(204).headers(preflightHeaders).header('Content-Length', '0').send()
  })
  // The hook has answered; without a route it would be a request without one.
  app.options('*', { schema: { hide: true } }, async (_request, reply) => reply.code(204).send())
}

const keepOut: onRequestHookHandler = (_request, reply, done) => {
  reply.header('cache-control', 'no-store')
  done()
}

/** Comes after all that adds hooks to routes: what one of them refuses is kept out of caches as well. */
export function keepOutOfCaches(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const isPrivate = route.schema?.security !== undefined || route.url.startsWith('/auth/')
    if (isPrivate) route.onRequest = [keepOut, ...[route.onRequest ?? []].flat()]
  })
}
