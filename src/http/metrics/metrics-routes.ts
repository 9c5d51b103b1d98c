import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { shareRuns } from '../../concurrency/shared-run.ts'
import { ApiError } from '../../errors.ts'
import { metricsType, renderAggregated, renderMetrics } from './render-metrics.ts'
import { collectWorkerMetrics, serveWorkerMetrics } from './worker-metrics.ts'

/**
 * `/metrics` for Prometheus, without the envelope. Needs METRICS_TOKEN as `Authorization: Bearer`; if none is set, it
 * answers only requests from this machine that have not come through a proxy. With TRUST_PROXY set and no token, it
 * answers `not_found` to all: a proxy may forward requests without saying so.
 */
export const metricsRoutes: FastifyPluginAsync = async (app) => {
  const wanted = app.config.metricsToken
  const all = () => Registry.merge([app.metrics, nodeMetrics()])
  const stopServing = serveWorkerMetrics(() => all().getMetricsAsJSON())
  app.addHook('onClose', async () => stopServing())
  let text = ''
  /** Scrapes that come while one is rendered share the next. */
  const renderInTurn = shareRuns(async () => {
    const others = await collectWorkerMetrics()
    text =
      others.length === 0
        ? await renderMetrics(all())
        : await renderAggregated([await all().getMetricsAsJSON(), ...others])
  })
  const isBehindProxy = app.config.trustProxy !== 0
  const options = { schema: { hide: true }, config: { isSameOrigin: true } }
  app.get('/metrics', options, async (request, reply) => {
    if (wanted === undefined && (isBehindProxy || !isOfThisMachine(request))) throw new ApiError('not_found')
    if (wanted !== undefined && !hasToken(request, wanted)) throw new ApiError('no_auth')
    await renderInTurn()
    return reply.header('cache-control', 'no-store').type(metricsType).send(text)
  })
}

let ofNode: Registry | undefined

/** Node's own metrics: memory, processor, open resources, garbage collections. Measured once they are asked for. */
function nodeMetrics(): Registry {
  if (ofNode) return ofNode
  ofNode = new Registry()
  collectDefaultMetrics({ register: ofNode })
  // These call `process._getActiveHandles`, which aborts the process at a handle whose object is already collected.
  // `nodejs_active_resources` counts the same.
  ofNode.removeSingleMetric('nodejs_active_handles')
  ofNode.removeSingleMetric('nodejs_active_handles_total')
  return ofNode
}

function isOfThisMachine(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw
  const isForwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => headers[name])
  return !isForwarded && /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}

function hasToken(request: FastifyRequest, wanted: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  // `timingSafeEqual` needs inputs of equal length, as hashes are.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'))
}
