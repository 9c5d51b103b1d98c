import type { IncomingMessage, ServerResponse } from 'node:http'
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
  /** Of these, those that wait for their client: its body is slow to come, or the answer slow to go. */
  slow: number
  /** How many may be in flight at present, the slow ones aside. */
  limit: number
  /** What the event loop is late by, in ms: the median since the last look. */
  delayMs: number
  /** How many requests were refused for it. */
  refused: number
  /** Whether what comes now is refused: more than can be dealt with, or nothing to deal with it by. */
  isTooMuch(): boolean
}

export type LoadLimits = {
  /** Requests in flight while the event loop keeps up. */
  inFlight: number
  /** So many always, however late it is. */
  leastInFlight: number
  /** Later than this, only so many may be in flight as were answered within `answerMs` of late. */
  delayMs: number
  answerMs: number
}

const usualLimits: LoadLimits = { inFlight: 1_000, leastInFlight: 256, delayMs: 100, answerMs: 250 }

const lookEveryMs = 250
const resolutionMs = 10
/** How fast the limit rises again, at each look that finds the event loop in time. */
const growth = 1.5
/** From so many in flight on it is worth knowing which of them wait for their clients. */
const worthSorting = 16

/** Requests that one connection may send ahead of their answers; no client known sends more than a few. */
const maxPipelined = 64

/**
 * What a flood is refused after. Answered at once it would be back at once, and with a thousand connections like that the
 * process would do nothing but refuse.
 */
const floodWaitsMs = 1_000

/** What watches and balancers need to see, whatever the load. */
const exempt = new Set(['/health', '/ready', '/metrics'])

/** The requests in flight of one address, by all its connections. */
type Share = { address: string; inFlight: number; slow: number; connections: number }
/** Those of one connection, and the last of them. A closed one has none, whatever becomes of what it asked for. */
type Place = {
  share: Share
  inFlight: number
  /** Refused, and not told yet. */
  parked: number
  isClosed: boolean
  look: number
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
}

const place = Symbol('place')
type CountedSocket = Socket & { [place]?: Place }

/**
 * Refuses requests before anything else is done for them (PROTOCOL 0.3, check 1) with 503: while the database is away, and
 * while more is in flight than can be answered in time. Where rates are limited, one address gets half of what there is,
 * so that a flood from one leaves room for the others. Comes before every other hook but the one of the standing headers.
 * Counts by itself, in place of @fastify/under-pressure: that one counts nothing in flight, knows no addresses, and lets
 * in everything or nothing.
 */
export function shedLoad(
  app: FastifyInstance,
  isDatabaseAway: () => boolean,
  limits: LoadLimits = usualLimits,
): void {
  const load: Load = {
    inFlight: 0,
    slow: 0,
    limit: limits.inFlight,
    delayMs: 0,
    refused: 0,
    isTooMuch: () => load.inFlight - load.slow >= load.limit || isDatabaseAway(),
  }
  app.decorate('load', load)
  const places = countConnections(app, load)
  let answered = 0
  let look = 0

  /** Listens to an answer's end; one for all, as this happens for every request. */
  function leave(this: ServerResponse): void {
    answered += 1
    const taken = (this.req.socket as CountedSocket)[place]
    if (!taken || taken.isClosed) return
    taken.inFlight -= 1
    taken.share.inFlight -= 1
    load.inFlight -= 1
  }

  // Behind a proxy all connections are of one address, which says nothing; without rate limits nobody is held to a share.
  const { rateLimit, trustProxy } = app.config
  const knowsAddresses = rateLimit && trustProxy === 0
  const isItsPart = ({ inFlight, slow }: Share) => knowsAddresses && (inFlight - slow) * 2 >= load.limit

  app.addHook('onRequest', (request, reply, done) => {
    const taken = (request.raw.socket as CountedSocket)[place]
    if (taken !== undefined && taken.inFlight + taken.parked >= maxPipelined) {
      // A piece that was read may hold a thousand more, and to refuse each would take its time.
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    const isFlood = taken !== undefined && isItsPart(taken.share)
    if ((isFlood || load.isTooMuch()) && !exempt.has(pathOf(request.raw.url ?? ''))) {
      load.refused += 1
      if (taken && (isFlood || load.delayMs > limits.delayMs)) return park(taken, done)
      return done(new ApiError('unavailable'))
    }
    // What is injected comes over no connection.
    if (taken && !taken.isClosed) {
      taken.inFlight += 1
      taken.share.inFlight += 1
      load.inFlight += 1
      taken.look = look
      taken.request = request.raw
      taken.response = reply.raw
      reply.raw.on('close', leave)
    }
    done()
  })

  function park(taken: Place, done: (error: Error) => void): void {
    taken.parked += 1
    setTimeout(() => {
      taken.parked -= 1
      done(new ApiError('unavailable'))
    }, floodWaitsMs).unref()
  }

  /** Finds those who wait for their clients since before the last look. */
  function sortOut(): void {
    load.slow = 0
    for (const { share } of places) share.slow = 0
    if (load.inFlight < worthSorting) return
    for (const { share, inFlight, look: since, request, response } of places) {
      if (inFlight === 0 || since === look) continue
      if (request?.complete && !response?.headersSent) continue
      load.slow += 1
      share.slow += 1
    }
  }

  watchDelay(app, (delayMs, elapsedMs) => {
    load.delayMs = delayMs
    const inTime = Math.ceil((answered / elapsedMs) * limits.answerMs)
    const wanted = delayMs > limits.delayMs ? inTime : Math.max(Math.ceil(load.limit * growth), 1)
    load.limit = Math.min(limits.inFlight, Math.max(limits.leastInFlight, wanted))
    answered = 0
    sortOut()
    look += 1
  })
}

/** Knows who is connected; what a connection leaves behind when it closes counts no more. */
function countConnections(app: FastifyInstance, load: Load): Set<Place> {
  const shares = new Map<string, Share>()
  const places = new Set<Place>()
  app.server.on('connection', (socket: CountedSocket) => {
    const address = networkOf(socket.remoteAddress ?? '')
    const share = shares.get(address) ?? { address, inFlight: 0, slow: 0, connections: 0 }
    shares.set(address, share)
    share.connections += 1
    const none = { request: undefined, response: undefined }
    const taken: Place = { share, inFlight: 0, parked: 0, isClosed: false, look: 0, ...none }
    socket[place] = taken
    places.add(taken)
    socket.on('close', leave)
  })
  // A websocket asks for nothing any more.
  app.server.on('upgrade', (_request, socket: CountedSocket) => {
    leave.call(socket)
    socket.off('close', leave)
    socket[place] = undefined
  })
  return places

  /** One for all, as there are many. */
  function leave(this: CountedSocket): void {
    const taken = this[place]
    if (!taken) return
    places.delete(taken)
    taken.isClosed = true
    const { share } = taken
    share.inFlight -= taken.inFlight
    load.inFlight -= taken.inFlight
    share.connections -= 1
    if (share.connections === 0) shares.delete(share.address)
  }
}

/** Tells at each look what the event loop was late by, and how long ago the last look was. */
function watchDelay(app: FastifyInstance, tell: (delayMs: number, elapsedMs: number) => void): void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    delays.enable()
    let last = performance.now()
    timer = setInterval(() => {
      const now = performance.now()
      tell(Math.max(0, delays.percentile(50) / 1e6 - resolutionMs), now - last)
      last = now
      delays.reset()
    }, lookEveryMs).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}
