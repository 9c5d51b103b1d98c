import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from './address.ts'

/** With fewer requests in flight, the slow ones are not looked for. */
const worthSorting = 16

/** The requests in flight of one client address, over all its connections. */
export type AddressLoad = { address: string; inFlight: number; slow: number; connections: number }

/** The requests in flight of one connection. */
export type ConnectionLoad = {
  address: AddressLoad
  inFlight: number
  /** Refused requests whose answer is still being held back. */
  parked: number
  /** The requests of a closed connection no longer count, even while the server still works on them. */
  isClosed: boolean
  /** The latest request with its response, and the round in which it came. */
  round: number
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
}

type RequestsInFlight = {
  /** Undefined for requests that came over no connection (they were injected). */
  findConnection(socket: Socket): ConnectionLoad | undefined
  /** Counts a request until it is answered. */
  add(connection: ConnectionLoad, request: IncomingMessage, response: ServerResponse): void
  /** Starts a new round: counts the slow requests anew, and returns how many were answered in the round that ends. */
  nextRound(): number
}

/**
 * The counts of the whole process: requests in flight, and those among them that wait for a slow client, which either
 * is still sending the body or is not reading the answer.
 */
type Totals = { inFlight: number; slow: number }

const loadOf = Symbol('load of a connection')
type CountedSocket = Socket & { [loadOf]?: ConnectionLoad }

/** Counts requests in flight by connection and by address, and keeps `totals` up to date. */
export function countRequestsInFlight(app: FastifyInstance, totals: Totals): RequestsInFlight {
  const connections = trackConnections(app, totals)
  let answered = 0
  let round = 0

  /** A listener on responses that finds its connection by `this`: a closure for every request would cost too much. */
  function leave(this: ServerResponse): void {
    answered += 1
    const connection = (this.req.socket as CountedSocket)[loadOf]
    if (!connection || connection.isClosed) return
    connection.inFlight -= 1
    connection.address.inFlight -= 1
    totals.inFlight -= 1
  }

  /** A request is slow when it came before this round, and neither is being worked on nor has been answered. */
  function countSlow(): void {
    totals.slow = 0
    for (const { address } of connections) address.slow = 0
    if (totals.inFlight < worthSorting) return
    for (const connection of connections) {
      const { address, inFlight, request, response } = connection
      if (inFlight === 0 || connection.round === round) continue
      if (request?.complete && !response?.headersSent) continue
      totals.slow += 1
      address.slow += 1
    }
  }

  return {
    findConnection: (socket: CountedSocket) => socket[loadOf],
    add(connection, request, response) {
      if (connection.isClosed) return
      connection.inFlight += 1
      connection.address.inFlight += 1
      totals.inFlight += 1
      connection.round = round
      connection.request = request
      connection.response = response
      response.on('close', leave)
    },
    nextRound() {
      const count = answered
      answered = 0
      countSlow()
      round += 1
      return count
    },
  }
}

/** The open HTTP connections. One that closes, or becomes a websocket, takes its requests out of all counts. */
function trackConnections(app: FastifyInstance, totals: Totals): ReadonlySet<ConnectionLoad> {
  const addresses = new Map<string, AddressLoad>()
  const connections = new Set<ConnectionLoad>()
  app.server.on('connection', (socket: CountedSocket) => {
    const name = networkOf(socket.remoteAddress ?? '')
    const address = addresses.get(name) ?? { address: name, inFlight: 0, slow: 0, connections: 0 }
    addresses.set(name, address)
    address.connections += 1
    const noRequest = { request: undefined, response: undefined }
    const connection = { address, inFlight: 0, parked: 0, isClosed: false, round: 0, ...noRequest }
    socket[loadOf] = connection
    connections.add(connection)
    socket.on('close', leave)
  })
  app.server.on('upgrade', (_request, socket: CountedSocket) => {
    leave.call(socket)
    socket[loadOf] = undefined
  })
  return connections

  /** One listener for all sockets, as there are many. */
  function leave(this: CountedSocket): void {
    const connection = this[loadOf]
    if (!connection) return
    connections.delete(connection)
    connection.isClosed = true
    const { address, inFlight } = connection
    address.inFlight -= inFlight
    totals.inFlight -= inFlight
    address.connections -= 1
    if (address.connections === 0) addresses.delete(address.address)
  }
}
