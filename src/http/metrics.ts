import type { FastifyInstance, onResponseHookHandler } from 'fastify'
import { listenToBatches } from '../db/batches.ts'
import { poolUse } from '../db/client.ts'
import { Counter, Histogram, type Metric } from './counters.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics that this process has counted so far. */
    readMetrics(): Metric[]
  }
}

const latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/**
 * Counts requests, batches and events in plain numbers, which `/metrics` converts to the format of Prometheus on
 * demand. Must be called before the routes are added, as each gets counters of its own.
 */
export function measure(app: FastifyInstance): void {
  const readers = [countRequests(app), countBatches(app), countEvents(app)]
  app.decorate('readMetrics', () => [...readers.flatMap((read) => read()), ...readGauges(app)])
}

type Reader = () => Metric[]

function readGauges(app: FastifyInstance): Metric[] {
  const pool = poolUse(app.db)
  const { sessions } = app.gateway.hub
  function one(name: string, help: string, value: number, aggregator: Metric['aggregator'] = 'sum'): Metric {
    const type = name.endsWith('_total') ? 'counter' : 'gauge'
    return { name, help, type, aggregator, values: [{ labels: {}, value }] }
  }
  return [
    one('hearth_processes', 'Processes behind these figures', 1),
    one('hearth_pool_connections', 'Connections to the database', pool.total),
    one('hearth_pool_idle', 'Connections that are free', pool.idle),
    one('hearth_pool_waiting', 'Statements that wait for a connection', pool.waiting),
    one('hearth_sockets', 'Open sockets of the gateway', app.gateway.connectionCount),
    one('hearth_sessions', 'Sessions of the gateway, those that wait for a resume included', sessions.size),
    one('hearth_requests_in_flight', 'Requests that are not answered yet', app.load.inFlight),
    one('hearth_requests_shed_total', 'Requests refused for too much load', app.load.refused),
    one('hearth_loop_delay_seconds', 'What the event loop is late by', app.load.delayMs / 1000, 'max'),
  ]
}

function countRequests(app: FastifyInstance): Reader {
  type Route = { labels: { method: string; route: string }; statuses: Counter; seconds: Histogram }
  const routes: Route[] = []

  function add(method: string, route: string): Route {
    const added = {
      labels: { method, route },
      statuses: new Counter(),
      seconds: new Histogram(latencyBounds),
    }
    routes.push(added)
    return added
  }
  function recorder({ statuses, seconds }: Route): onResponseHookHandler {
    return (_request, reply, done) => {
      statuses.add(reply.statusCode)
      seconds.add(reply.elapsedTime / 1000)
      done()
    }
  }

  app.addHook('onRoute', (route) => {
    const record = recorder(add([route.method].flat().join(','), route.url))
    route.onResponse = [...[route.onResponse ?? []].flat(), record]
  })
  const unknown = add('any', 'none')
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) unknown.statuses.add(reply.statusCode)
    done()
  })

  return () => [
    {
      name: 'hearth_requests_total',
      help: 'Requests that were answered',
      type: 'counter',
      aggregator: 'sum',
      values: routes.flatMap(({ labels, statuses }) => {
        return statuses.entries().map(([status, value]) => ({ labels: { ...labels, status }, value }))
      }),
    },
    {
      name: 'hearth_request_seconds',
      help: 'From the arrival of a request to the end of its answer',
      type: 'histogram',
      aggregator: 'sum',
      values: routes.flatMap(({ labels, seconds }) => seconds.values('hearth_request_seconds', labels)),
    },
  ]
}

function countBatches(app: FastifyInstance): Reader {
  const sizes = { read: new Histogram(batchBounds), write: new Histogram(batchBounds) }
  const unlisten = listenToBatches((kind, size) => sizes[kind].add(size))
  app.addHook('onClose', async () => unlisten())
  const name = 'hearth_batch_size'
  return () => [
    {
      name,
      help: 'How many reads or writes shared a statement',
      type: 'histogram',
      aggregator: 'sum',
      values: Object.entries(sizes).flatMap(([kind, each]) => each.values(name, { kind })),
    },
  ]
}

function countEvents(app: FastifyInstance): Reader {
  const types = new Counter()
  const unsubscribe = app.bus.subscribe(({ type }) => types.add(type))
  app.addHook('onClose', async () => unsubscribe())
  return () => [
    {
      name: 'hearth_events_total',
      help: 'Events this process has heard of; with several processes each hears of all',
      type: 'counter',
      aggregator: 'max',
      values: types.entries().map(([type, value]) => ({ labels: { type }, value })),
    },
  ]
}
