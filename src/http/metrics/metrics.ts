import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, Registry } from 'prom-client'
import { onBatch } from '../../database/batching/batches.ts'
import { showDeliveries } from './delivery-metrics.ts'
import { showDatabase, showLoad, showLog, showPublishing, showRedis, showSpace } from './process-metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics of this app; those of Node are apart. */
    metrics: Registry
    /** Counts a push by what came of it. */
    countPush(result: 'delivered' | 'gone' | 'failed' | 'dropped'): void
    /** Counts an attempt to send a mail by what came of it. */
    countMail(outcome: (typeof mailOutcomes)[number]): void
    /** Counts a request that a rate limit has refused. */
    countRateLimited(limit: string): void
    /** Counts a body that has not arrived in time. */
    countLateBody(): void
  }
}

const mailOutcomes = ['sent', 'cancelled', 'refused', 'postponed', 'given_up', 'dropped'] as const
const latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Counts requests, batches and events for `/metrics`; what has a value at any time is read when it is asked for. */
export function collectMetrics(app: FastifyInstance, limits: readonly string[]): void {
  const metrics = new Registry()
  app.decorate('metrics', metrics)
  countRequests(app)
  countBatches(app)
  countEvents(app)
  countPushes(app)
  countMails(app)
  countRefusals(app, limits)
  for (const show of [showLoad, showDatabase, showLog, showPublishing, showRedis, showSpace]) show(app)
  showDeliveries(app)
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
    help: 'How many shared a statement, by kind: read (lookups), write (sends)',
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
    help: 'Events received by the process; every process receives all: use max',
    labelNames: ['type'],
    aggregator: 'max',
    registers: [app.metrics],
  })
  const unsubscribe = app.bus.subscribe(({ type }) => events.inc({ type }))
  app.addHook('onClose', async () => unsubscribe())
}

function countRefusals(app: FastifyInstance, limits: readonly string[]): void {
  const registers = [app.metrics]
  const limited = new Counter({
    name: 'hearth_rate_limited_total',
    help: 'Requests that a rate limit has refused, by its name',
    labelNames: ['limit'],
    registers,
  })
  for (const limit of limits) limited.inc({ limit }, 0)
  app.decorate('countRateLimited', (limit: string) => limited.inc({ limit }))
  const late = new Counter({
    name: 'hearth_late_bodies_total',
    help: 'Request bodies that have not arrived in time',
    registers,
  })
  app.decorate('countLateBody', () => late.inc())
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

function countMails(app: FastifyInstance): void {
  const mails = new Counter({
    name: 'hearth_mails_total',
    help: 'Attempts to send a mail by outcome: sent, postponed (sent again later), refused, given_up (after an hour), dropped (too many wait), cancelled',
    labelNames: ['outcome'],
    registers: [app.metrics],
  })
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0)
  app.decorate('countMail', (outcome: string) => mails.inc({ outcome }))
}
