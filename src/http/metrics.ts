import type { FastifyInstance, onResponseHookHandler } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { listenToBatches } from '../db/batches.ts'
import { poolUse } from '../db/client.ts'

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Serves `/metrics` for Prometheus. Comes before the routes: what each of them counts into is looked up once. */
export function measure(app: FastifyInstance): void {
  const registry = new Registry()
  countRequests(app, registry)
  countBatches(app, registry)
  countEvents(app, registry)
  function gauge(name: string, help: string, read: () => number): void {
    const shown: Gauge = new Gauge({ name, help, registers: [registry], collect: () => shown.set(read()) })
  }
  gauge('hearth_pool_connections', 'Connections to the database', () => poolUse(app.db).total)
  gauge('hearth_pool_idle', 'Connections that are free', () => poolUse(app.db).idle)
  gauge('hearth_pool_waiting', 'Statements that wait for a connection', () => poolUse(app.db).waiting)
  gauge('hearth_requests_in_flight', 'Requests that are not answered yet', () => app.load.inFlight)
  gauge('hearth_event_loop_delay_seconds', 'What the event loop is late by', () => app.load.delayMs / 1000)
  gauge('hearth_requests_shed', 'Requests refused for too much load or the database', () => app.load.refused)
  gauge('hearth_sockets', 'Open sockets of the gateway', () => app.gateway.connectionCount)
  gauge('hearth_resident_bytes', 'Resident memory', () => process.memoryUsage.rss())

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(registry.contentType)
    return registry.metrics()
  })
}

function countRequests(app: FastifyInstance, registry: Registry): void {
  const requests = new Counter({
    name: 'hearth_requests_total',
    help: 'Requests that were answered',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'hearth_request_seconds',
    help: 'From the arrival of a request to the end of its answer',
    labelNames: ['method', 'route'],
    buckets: latencyBuckets,
    registers: [registry],
  })
  function recorder(method: string, route: string): onResponseHookHandler {
    const latency = seconds.labels(method, route)
    const byStatus = new Map<number, Counter.Internal>()
    return (_request, reply, done) => {
      let count = byStatus.get(reply.statusCode)
      if (!count) {
        count = requests.labels(method, route, String(reply.statusCode))
        byStatus.set(reply.statusCode, count)
      }
      count.inc()
      latency.observe(reply.elapsedTime / 1000)
      done()
    }
  }
  app.addHook('onRoute', (route) => {
    const record = recorder([route.method].flat().join(','), route.url)
    route.onResponse = [...[route.onResponse ?? []].flat(), record]
  })
  const unknown = requests.labels('any', 'none', '404')
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.is404) unknown.inc()
    done()
  })
}

function countBatches(app: FastifyInstance, registry: Registry): void {
  const sizes = new Histogram({
    name: 'hearth_batch_size',
    help: 'How many reads or writes shared a statement',
    labelNames: ['kind'],
    buckets: batchBuckets,
    registers: [registry],
  })
  const byKind = { read: sizes.labels('read'), write: sizes.labels('write') }
  const unlisten = listenToBatches((kind, size) => byKind[kind].observe(size))
  app.addHook('onClose', async () => unlisten())
}

function countEvents(app: FastifyInstance, registry: Registry): void {
  const events = new Counter({
    name: 'hearth_events_total',
    help: 'Events this process has heard of',
    labelNames: ['type'],
    registers: [registry],
  })
  const byType = new Map<string, Counter.Internal>()
  const unsubscribe = app.bus.subscribe(({ type }) => {
    let count = byType.get(type)
    if (!count) {
      count = events.labels(type)
      byType.set(type, count)
    }
    count.inc()
  })
  app.addHook('onClose', async () => unsubscribe())
}
