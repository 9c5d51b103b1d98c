import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'
import { watchEventLoopDelay } from './event-loop-delay.ts'
import { type ConnectionLoad, countRequestsInFlight, type RequestCount } from './requests-in-flight.ts'

declare module 'fastify' {
  interface FastifyInstance {
    load: Load
  }
}

/** How busy the process is. Only requests that came over a connection are in flight. */
type Load = RequestCount & {
  /** How many may be in flight at present, not counting the slow ones. */
  limit: number
  /** How late the event loop runs, in ms: the median since the last sample. */
  delayMs: number
  /** Requests refused so far because of too much load. */
  refused: number
  /** Whether new work is refused: too much is in flight, or the database is unavailable. */
  isTooMuch(): boolean
}

export type LoadLimits = {
  /** Requests in flight while the event loop keeps up. */
  inFlight: number
  /** The limit never falls below this, however late the event loop runs. */
  leastInFlight: number
  /**
   * When the event loop runs later than this, the limit is the number of requests lately answered within `answerMs`.
   */
  delayMs: number
  answerMs: number
}

const defaultLimits: LoadLimits = { inFlight: 1_000, leastInFlight: 256, delayMs: 100, answerMs: 250 }

/** The factor by which the limit rises again, with each sample that finds the event loop on time. */
const growth = 1.5

/** Requests that one connection may send ahead of their answers; no known client sends more than a few. */
const maxPipelined = 64

/**
 * The delay before the refusal of a flood is sent. Clients that are refused at once retry at once: with a thousand such
 * connections the process would be busy with refusals only.
 */
const refusalDelayMs = 1_000

/** Monitoring and load balancers need an answer from these, whatever the load. */
const exempt = new Set(['/health', '/ready', '/metrics'])

/**
 * Refuses requests with 503 before any other work is done for them (docs/api.md#order-of-checks): while the database is
 * unavailable, and while more are in flight than can be answered in time. Where rate limits are on, one address gets
 * half of the limit, so that a flood from one leaves capacity for others. Its hook runs first, after that of the
 * default headers. Not done by @fastify/under-pressure (docs/decisions/0033-own-load-shedding.md).
 */
export function shedLoad(
  app: FastifyInstance,
  isDatabaseUnavailable: () => boolean,
  limits: LoadLimits = defaultLimits,
): void {
  const load: Load = {
    inFlight: 0,
    slow: 0,
    limit: limits.inFlight,
    delayMs: 0,
    refused: 0,
    isTooMuch: () => load.inFlight - load.slow >= load.limit || isDatabaseUnavailable(),
  }
  app.decorate('load', load)
  const requests = countRequestsInFlight(app, load)

  // Behind a proxy all connections have its address, so the share by address would apply to all clients together.
  const { rateLimit, trustProxy } = app.config
  const knowsAddresses = rateLimit && trustProxy === 0
  const hasItsShare = ({ inFlight, slow }: RequestCount) =>
    knowsAddresses && (inFlight - slow) * 2 >= load.limit

  app.addHook('onRequest', (request, reply, done) => {
    const connection = requests.findConnection(request.raw.socket)
    if (connection !== undefined && connection.inFlight + connection.pendingRefusals >= maxPipelined) {
      // One chunk may contain a thousand more requests; refusing each of them would take too long.
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    const isFlood = connection !== undefined && hasItsShare(connection.address)
    if ((isFlood || load.isTooMuch()) && !exempt.has(pathOf(request.raw.url ?? ''))) {
      load.refused += 1
      if (connection && (isFlood || load.delayMs > limits.delayMs)) return refuseLater(connection, done)
      return done(new ApiError('unavailable'))
    }
    if (connection) requests.add(connection, reply.raw)
    done()
  })

  watchEventLoopDelay(app, (delayMs, elapsedMs) => {
    load.delayMs = delayMs
    const answeredInTime = Math.ceil((requests.nextRound() / elapsedMs) * limits.answerMs)
    const wanted = delayMs > limits.delayMs ? answeredInTime : Math.max(Math.ceil(load.limit * growth), 1)
    load.limit = Math.min(limits.inFlight, Math.max(limits.leastInFlight, wanted))
  })
}

function refuseLater(connection: ConnectionLoad, done: (error: Error) => void): void {
  connection.pendingRefusals += 1
  setTimeout(() => {
    connection.pendingRefusals -= 1
    done(new ApiError('unavailable'))
  }, refusalDelayMs).unref()
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}
