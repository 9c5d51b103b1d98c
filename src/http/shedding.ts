import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { networkOf } from './address.ts'

declare module 'fastify' {
  interface FastifyInstance {
    load: Load
  }
}

/** How busy the process is. */
export type Load = {
  /** Requests that came over a connection and are not answered yet. */
  inFlight: number
  /** What the event loop is late by, in ms: the median of the last second. */
  delayMs: number
  /** How many requests were refused for it. */
  refused: number
  /** Whether what comes now is refused: more than can be dealt with, or nothing to deal with it by. */
  isTooMuch(): boolean
}

export type LoadLimits = { inFlight: number; inFlightOfAddress: number; delayMs: number }

// At some thousand requests a second, a thousand in flight wait for a fifth of a second. One address gets half of that,
// so that a flood from one leaves room for the others. Past the delay, answers take several times as long.
const usualLimits: LoadLimits = { inFlight: 1_000, inFlightOfAddress: 500, delayMs: 300 }

const sampleEveryMs = 1_000
const resolutionMs = 10

/** What watches and balancers need to see, whatever the load. */
const exempt = new Set(['/health', '/ready', '/metrics'])

/** The requests in flight of one address, by all its connections. */
type Share = { inFlight: number; connections: number }
/** Those of one connection. A closed one has none, whatever becomes of what it asked for. */
type Place = { share: Share; inFlight: number; isClosed: boolean }

const place = Symbol('place')
type CountedSocket = Socket & { [place]?: Place }

/**
 * Refuses requests before anything else is done for them (PROTOCOL 0.3, check 1) with 503: while the database is away, and
 * while more is in flight than can be answered in time. Comes before every other hook but that of CORS.
 * Counts by itself, in place of @fastify/under-pressure: that one counts nothing in flight and knows no addresses.
 */
export function shedLoad(
  app: FastifyInstance,
  isDatabaseAway: () => boolean,
  limits: LoadLimits = usualLimits,
): void {
  const load: Load = {
    inFlight: 0,
    delayMs: 0,
    refused: 0,
    isTooMuch: () => load.inFlight >= limits.inFlight || load.delayMs > limits.delayMs || isDatabaseAway(),
  }
  app.decorate('load', load)
  // Behind a proxy all connections are of one address, which says nothing.
  const maxOfAddress = app.config.trustProxy === 0 ? limits.inFlightOfAddress : limits.inFlight
  countConnections(app, load)
  sampleDelay(app, load)

  /** Listens to an answer's end; one for all, as this happens for every request. */
  function leave(this: ServerResponse): void {
    const taken = (this.req.socket as CountedSocket)[place]
    if (!taken || taken.isClosed) return
    taken.inFlight -= 1
    taken.share.inFlight -= 1
    load.inFlight -= 1
  }

  app.addHook('onRequest', (request, reply, done) => {
    const taken = (request.raw.socket as CountedSocket)[place]
    const isRefused = load.isTooMuch() || (taken && taken.share.inFlight >= maxOfAddress)
    if (isRefused && !exempt.has(pathOf(request.raw.url ?? ''))) {
      load.refused += 1
      return done(new ApiError('unavailable'))
    }
    // What is injected comes over no connection.
    if (taken && !taken.isClosed) {
      taken.inFlight += 1
      taken.share.inFlight += 1
      load.inFlight += 1
      reply.raw.on('close', leave)
    }
    done()
  })
}

/** Knows who is connected; what a connection leaves behind when it closes counts no more. */
function countConnections(app: FastifyInstance, load: Load): void {
  const shares = new Map<string, Share>()
  app.server.on('connection', (socket: CountedSocket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    const share = shares.get(address) ?? { inFlight: 0, connections: 0 }
    shares.set(address, share)
    share.connections += 1
    const taken: Place = { share, inFlight: 0, isClosed: false }
    socket[place] = taken
    socket.on('close', () => {
      taken.isClosed = true
      share.inFlight -= taken.inFlight
      load.inFlight -= taken.inFlight
      share.connections -= 1
      if (share.connections === 0) shares.delete(address)
    })
  })
}

function sampleDelay(app: FastifyInstance, load: Load): void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    delays.enable()
    timer = setInterval(() => {
      load.delayMs = Math.max(0, delays.percentile(50) / 1e6 - resolutionMs)
      delays.reset()
    }, sampleEveryMs).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}
