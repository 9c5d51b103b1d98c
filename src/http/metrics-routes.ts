import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { askFellows, tellFellows } from './fellow-metrics.ts'

/**
 * `/metrics` for Prometheus, outside of the envelope. With METRICS_TOKEN it is for who sends that as `Authorization: Bearer`;
 * without one for this machine alone, and not through a proxy on it.
 */
export const metricsRoutes: FastifyPluginAsync = async (app) => {
  const wanted = app.config.metricsToken
  // With the first who asks: of many servers nobody does, and it takes 3 MB.
  const load = () => import('./exposition.ts')
  const collect = async () => (await load()).collectMetrics(app.readMetrics())
  const stopTelling = tellFellows(collect)
  app.addHook('onClose', async () => stopTelling())
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (wanted === undefined ? !isOfThisMachine(request) : !holds(request, wanted)) {
      throw new ApiError(wanted === undefined ? 'not_found' : 'no_auth')
    }
    const { toText } = await load()
    const [own, fellows] = await Promise.all([collect(), askFellows()])
    const { type, text } = await toText([own, ...fellows])
    return reply.type(type).send(text)
  })
}

function isOfThisMachine(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw
  const isForwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => headers[name])
  return !isForwarded && /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}

function holds(request: FastifyRequest, wanted: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(wanted))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
