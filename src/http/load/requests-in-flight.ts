import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../server/address.ts'

/** With fewer requests in flight, the slow ones are not looked for. */
const worthSorting = 16

/** Requests in flight, and those among them that wait for a client who is slow to send a body or to read an answer. */
export type RequestCount = { inFlight: number; slow: number }

/** The requests of a client address, over all its connections. */
type AddressLoad = RequestCount & { name: string; connections: number }

/** The requests of a connection. */
export type ConnectionLoad = {
  address: AddressLoad
  inFlight: number
  /** Refused requests whose answer is still delayed. */
  pendingRefusals: number
  /** The response to the latest request, and the round in which that came. */
  latest?: ServerResponse
  round: number
}

type RequestsInFlight = {
  /** Undefined for requests that came over no connection (they were injected). */
  findConnection(socket: Socket): ConnectionLoad | undefined
  /** Counts a request until it is answered. */
  add(connection: ConnectionLoad, response: ServerResponse): void
  /** Starts a new round: counts the slow requests anew, and returns how many were answered in the round that ends. */
  nextRound(): number
}

/** Counts requests in flight by connection and by address, and keeps `total` up to date. */
export function countRequestsInFlight(app: FastifyInstance, total: RequestCount): RequestsInFlight {
  const addresses = new Map<string, AddressLoad>()
  const connections = new Map<Socket, ConnectionLoad>()
  let answered = 0
  let round = 0

  function open(socket: Socket): void {
    const name = networkOf(socket.remoteAddress ?? '')
    const address = addresses.get(name) ?? { name, inFlight: 0, slow: 0, connections: 0 }
    addresses.set(name, address)
    address.connections += 1
    connections.set(socket, { address, inFlight: 0, pendingRefusals: 0, round })
    socket.on('close', close)
  }

  /** Takes the requests of a connection out of all counts, even while the server still works on them. */
  function close(this: Socket): void {
    const connection = connections.get(this)
    if (!connection) return
    connections.delete(this)
    change(connection, -connection.inFlight)
    connection.address.connections -= 1
    if (connection.address.connections === 0) addresses.delete(connection.address.name)
  }

  function change(connection: ConnectionLoad, by: number): void {
    connection.inFlight += by
    connection.address.inFlight += by
    total.inFlight += by
  }

  /** A listener on responses that finds its connection by `this`: a closure for every request would cost too much. */
  function leave(this: ServerResponse): void {
    answered += 1
    const connection = connections.get(this.req.socket)
    if (connection) change(connection, -1)
  }

  /** A request is slow when it came before this round, and neither is being worked on nor has been answered. */
  function countSlow(): void {
    total.slow = 0
    for (const address of addresses.values()) address.slow = 0
    if (total.inFlight < worthSorting) return
    for (const { address, inFlight, latest, round: came } of connections.values()) {
      if (inFlight === 0 || came === round || (latest?.req.complete && !latest.headersSent)) continue
      total.slow += 1
      address.slow += 1
    }
  }

  app.server.on('connection', open)
  // A websocket is no connection for requests any more.
  app.server.on('upgrade', (_request, socket: Socket) => close.call(socket))
  return {
    findConnection: (socket) => connections.get(socket),
    add(connection, response) {
      change(connection, 1)
      connection.latest = response
      connection.round = round
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
