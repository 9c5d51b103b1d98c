import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { collectWorkerMetrics, serveWorkerMetrics } from './worker-metrics.ts'

/**
 * `/metrics` for Prometheus, without the envelope. Needs METRICS_TOKEN as `Authorization: Bearer`; if none is set, it
 * answers only requests from this machine that have not come through a proxy.
 */
export const metricsRoutes: FastifyPluginAsync = async (app) => {
  const wanted = app.config.metricsToken
  // Loaded with the first request: it takes 3 MB, and many servers are never asked for metrics.
  const load = () => import('./exposition.ts')
  const collect = async () => (await load()).collectMetrics(app.readMetrics())
  const stopServing = serveWorkerMetrics(collect)
  app.addHook('onClose', async () => stopServing())
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (wanted === undefined && !isOfThisMachine(request)) throw new ApiError('not_found')
    if (wanted !== undefined && !holds(request, wanted)) throw new ApiError('no_auth')
    const { toText } = await load()
    const [own, others] = await Promise.all([collect(), collectWorkerMetrics()])
    const { type, text } = await toText([own, ...others])
    return reply.header('cache-control', 'no-store').type(type).send(text)
  })
}

function isOfThisMachine(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw
  const isForwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => headers[name])
  return !isForwarded && /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}

function holds(request: FastifyRequest, wanted: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  // The hashes are of one length, whatever was given.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'))
}
