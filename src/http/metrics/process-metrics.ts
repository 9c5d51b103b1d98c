import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import { availabilityCheck, poolStats, serverUse } from '../../database/client.ts'
import { idsAheadMs } from '../../ids.ts'
import { readCounter, readGauge } from './read-metrics.ts'

const publishBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** How each of several processes that share a port or a database is told from the others. */
const perProcess = { labels: ['node'], aggregator: 'max' } as const

function nodeOf({ bus }: FastifyInstance): { node: string } {
  return { node: bus.node.number === null ? 'none' : String(bus.node.number) }
}

/** The process itself, and how busy it is. */
export function showLoad(app: FastifyInstance): void {
  const { metrics, load, gateway, bodies, downloads } = app
  const gauge = readGauge.bind(undefined, metrics)
  gauge(
    'hearth_processes',
    'Processes behind these figures, each with its node number, which no two have at a time',
    () => [[nodeOf(app), 1]],
    { labels: ['node'] },
  )
  gauge('hearth_sockets', 'Open sockets of the gateway', () => gateway.connectionCount)
  gauge(
    'hearth_sessions',
    'Sessions of the gateway: sockets that are logged in, or log in',
    () => gateway.registry.sessions.size,
  )
  readCounter(
    metrics,
    'hearth_gateway_closes_total',
    'Sockets of the gateway that the process has closed, by reason',
    () => [...gateway.closes].map(([reason, count]) => [{ reason }, count]),
    { labels: ['reason'] },
  )
  readCounter(
    metrics,
    'hearth_gateway_refused_total',
    'Upgrades and lists of op 6 that the gateway has refused, by reason',
    () => [...gateway.refusals.counts].map(([reason, count]) => [{ reason }, count]),
    { labels: ['reason'] },
  )
  gauge('hearth_requests_in_flight', 'Requests that are not answered yet', () => load.inFlight)
  gauge('hearth_body_bytes', 'Memory for the bodies of requests', () => bodies.bytes)
  gauge('hearth_loop_delay_seconds', 'Event loop delay', () => load.delayMs / 1000, { aggregator: 'max' })
  gauge(
    'hearth_ids_ahead_seconds',
    'How far new messages are ahead of the clock, because it was ahead once',
    () => idsAheadMs() / 1000,
    { aggregator: 'max' },
  )
  readCounter(metrics, 'hearth_requests_shed_total', 'Requests refused because of load', () => load.refused)
  gauge('hearth_downloads', 'Files that are being sent', () => downloads.open)
  readCounter(
    metrics,
    'hearth_downloads_ended_total',
    'Downloads by why they ended: refused (too many of one), closed (too slow, or too many of all)',
    () => [
      [{ reason: 'refused' }, downloads.refused],
      [{ reason: 'closed' }, downloads.closed],
    ],
    { labels: ['reason'] },
  )
}

export function showDatabase({ metrics, db }: FastifyInstance): void {
  const gauge = readGauge.bind(undefined, metrics)
  gauge('hearth_pool_connections', 'Connections to the database', () => poolStats(db).total)
  gauge('hearth_pool_idle', 'Connections that are free', () => poolStats(db).idle)
  gauge('hearth_pool_waiting', 'Statements that wait for a connection', () => poolStats(db).waiting)
  const servers = serverUse(db)
  const isUnavailable = availabilityCheck(db)
  gauge(
    'hearth_database_server',
    'Processes that use this server of DATABASE_URL; 0 also while the database is unavailable',
    () => {
      const used = isUnavailable() ? undefined : servers?.used
      return servers?.names.map((server) => [{ server }, server === used ? 1 : 0]) ?? []
    },
    { labels: ['server'] },
  )
  readCounter(
    metrics,
    'hearth_database_moves_total',
    'How often another server of DATABASE_URL took the place of the one used; every process sees each: use max',
    () => servers?.moves ?? 0,
    { aggregator: 'max' },
  )
}

/** The disk of the database. */
export function showSpace(app: FastifyInstance): void {
  const { metrics } = app
  readGauge(
    metrics,
    'hearth_database_free_bytes',
    'Bytes that the database may still take, the reserve included; absent where that is not known',
    () => {
      const { freeBytes } = app.databaseSpace
      return freeBytes === undefined ? [] : [[{}, freeBytes]]
    },
    { aggregator: 'min' },
  )
  readCounter(
    metrics,
    'hearth_requests_refused_for_space_total',
    'Requests refused because the disk of the database is full',
    () => app.refusedForSpace,
  )
  readCounter(
    metrics,
    'hearth_text_refused_total',
    'Requests refused because of the text that a person has written in a day',
    () => app.refusedText,
  )
}

/** The process as a reader of the log of events. */
export function showLog(app: FastifyInstance): void {
  const { metrics, bus } = app
  const gauge = readGauge.bind(undefined, metrics)
  gauge(
    'hearth_log_entries',
    'Entries of the log of events; every process shows the same log: use max',
    () => bus.progress.entries,
    { aggregator: 'max' },
  )
  gauge(
    'hearth_log_position',
    'The newest entry of the log that the process has read',
    () => [[nodeOf(app), bus.progress.position]],
    perProcess,
  )
  gauge(
    'hearth_log_pending',
    'Entries that the process has read and not sent to all its sessions yet',
    () => [[nodeOf(app), bus.progress.pending]],
    perProcess,
  )
  gauge(
    'hearth_log_lag_seconds',
    'All that was committed so long ago is delivered to the sessions of the process; it reads once a second',
    () => [[nodeOf(app), bus.progress.lagMs / 1000]],
    perProcess,
  )
  readCounter(
    metrics,
    'hearth_log_events_total',
    'Events of the log delivered, by source: own (committed here), published (came over Redis), read (from the table)',
    () => Object.entries(bus.progress.received).map(([source, count]) => [{ ...nodeOf(app), source }, count]),
    { labels: ['node', 'source'] },
  )
}

/** The process as one that publishes the log, over Redis, and wakes the others, over Redis or the database. */
export function showPublishing(app: FastifyInstance): void {
  const { metrics, bus } = app
  readCounter(
    metrics,
    'hearth_log_published_total',
    'Events of the log that the process has published over Redis',
    () => [[nodeOf(app), bus.sent.events]],
    perProcess,
  )
  readGauge(
    metrics,
    'hearth_publish_waiting',
    'Messages to other processes that Redis, or PostgreSQL, has not taken yet',
    () => [[nodeOf(app), bus.sent.waiting]],
    perProcess,
  )
  readCounter(
    metrics,
    'hearth_publish_failures_total',
    'Messages to other processes that could not be sent; these read the log within a second',
    () => [[nodeOf(app), bus.sent.failures]],
    perProcess,
  )
  const seconds = new Histogram({
    name: 'hearth_publish_seconds',
    help: 'Until Redis, or PostgreSQL, has taken a message to the other processes',
    buckets: publishBounds,
    registers: [metrics],
  })
  const unsubscribe = bus.onSent((ms) => seconds.observe(ms / 1000))
  app.addHook('onClose', async () => unsubscribe())
}

/** What is known of Redis: nothing where it is not used. */
export function showRedis(app: FastifyInstance): void {
  const { metrics, bus, sharedBuckets } = app
  const uses = Object.entries({ events: bus.redis, rate_limits: sharedBuckets })
  const each = (read: (state: { isAvailable: boolean; outages: number }) => number) => () =>
    uses.flatMap(([use, state]): [Record<string, string>, number][] =>
      state ? [[{ ...nodeOf(app), use }, read(state)]] : [],
    )
  const options = { labels: ['node', 'use'], aggregator: 'max' } as const
  readGauge(
    metrics,
    'hearth_redis_available',
    'Whether Redis works, by use: events, rate_limits',
    each(({ isAvailable }) => (isAvailable ? 1 : 0)),
    options,
  )
  readCounter(
    metrics,
    'hearth_redis_outages_total',
    'How often Redis was lost, by use: events, rate_limits',
    each(({ outages }) => outages),
    options,
  )
  readCounter(
    metrics,
    'hearth_rate_limits_local_total',
    'Counts of rate limits that the process kept by itself, as Redis was unavailable',
    () => sharedBuckets?.missed ?? 0,
  )
}
