import type { FastifyInstance } from 'fastify'
import { type Aggregator, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { onBatch } from '../../database/batching/batches.ts'
import { poolStats } from '../../database/client.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics of this app; those of Node are apart. */
    metrics: Registry
    /** Counts a push by what came of it. */
    countPush(result: 'delivered' | 'gone' | 'failed' | 'dropped'): void
  }
}

const latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Counts requests, batches and events for `/metrics`; what has a value at any time is read when it is asked for. */
export function collectMetrics(app: FastifyInstance): void {
  const metrics = new Registry()
  app.decorate('metrics', metrics)
  countRequests(app)
  countBatches(app)
  countEvents(app)
  countPushes(app)
  readGauges(app)
}

function countRequests(app: FastifyInstance): void {
  const registers = [app.metrics]
  const requests = new Counter({
    name: 'hearth_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'hearth_request_seconds',
    help: 'From the arrival of a request to the end of its answer',
    labelNames: ['method', 'route'],
    buckets: latencyBounds,
    registers,
  })
  app.addHook(
    'onResponse',
    ({ is404, method, routeOptions: { url: route } }, { statusCode: status, elapsedTime }, done) => {
      if (is404) requests.inc({ method: 'any', route: 'none', status })
      else if (method !== 'OPTIONS') {
        requests.inc({ method, route, status })
        seconds.observe({ method, route }, elapsedTime / 1000)
      }
      done()
    },
  )
}

function countBatches(app: FastifyInstance): void {
  const sizes = new Histogram({
    name: 'hearth_batch_size',
    help: 'Reads or writes that shared a statement',
    labelNames: ['kind'],
    buckets: batchBounds,
    registers: [app.metrics],
  })
  const unsubscribe = onBatch((kind, size) => sizes.observe({ kind }, size))
  app.addHook('onClose', async () => unsubscribe())
}

function countEvents(app: FastifyInstance): void {
  const events = new Counter({
    name: 'hearth_events_total',
    help: 'Events received by the process; each of several processes receives all',
    labelNames: ['type'],
    aggregator: 'max',
    registers: [app.metrics],
  })
  const unsubscribe = app.bus.subscribe(({ type }) => events.inc({ type }))
  app.addHook('onClose', async () => unsubscribe())
}

function countPushes(app: FastifyInstance): void {
  const pushes = new Counter({
    name: 'hearth_pushes_total',
    help: 'Pushes by result: delivered, gone (the subscription has ended), failed, dropped',
    labelNames: ['result'],
    registers: [app.metrics],
  })
  for (const result of ['delivered', 'gone', 'failed', 'dropped']) pushes.inc({ result }, 0)
  app.decorate('countPush', (result: string) => pushes.inc({ result }))
}

function readGauges(app: FastifyInstance): void {
  const registers = [app.metrics]
  function gauge(name: string, help: string, read: () => number, aggregator: Aggregator = 'sum'): void {
    new Gauge({
      name,
      help,
      aggregator,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  const { load, gateway, bus, bodies, sharedBuckets } = app
  gauge('hearth_processes', 'Processes behind these figures', () => 1)
  gauge('hearth_pool_connections', 'Connections to the database', () => poolStats(app.db).total)
  gauge('hearth_pool_idle', 'Connections that are free', () => poolStats(app.db).idle)
  gauge('hearth_pool_waiting', 'Statements that wait for a connection', () => poolStats(app.db).waiting)
  gauge('hearth_sockets', 'Open sockets of the gateway', () => gateway.connectionCount)
  gauge(
    'hearth_sessions',
    'Sessions of the gateway: sockets that are logged in, or log in',
    () => gateway.registry.sessions.size,
  )
  gauge('hearth_log_entries', 'Entries of the log of events', () => bus.progress.entries, 'max')
  gauge(
    'hearth_log_position',
    'The newest entry of the log that was read',
    () => bus.progress.position,
    'max',
  )
  gauge(
    'hearth_log_pending',
    'Entries that were read and are not sent to all yet',
    () => bus.progress.pending,
  )
  gauge('hearth_rate_limits_shared', 'Processes that count rate limits in Redis', () =>
    sharedBuckets?.isAvailable ? 1 : 0,
  )
  gauge('hearth_requests_in_flight', 'Requests that are not answered yet', () => load.inFlight)
  gauge('hearth_body_bytes', 'Memory for the bodies of requests', () => bodies.bytes)
  gauge('hearth_loop_delay_seconds', 'Event loop delay', () => load.delayMs / 1000, 'max')
  new Counter({
    name: 'hearth_requests_shed_total',
    help: 'Requests refused because of load',
    registers,
    collect() {
      this.reset()
      this.inc(load.refused)
    },
  })
}
