import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, onSendHookHandler } from 'fastify'
import { maxBy } from '../../concurrency/max-by.ts'
import { networkOf } from '../server/address.ts'

export type UnreadResponseLimits = {
  /** Smaller answers are not counted: most of them are in the buffers of the system at once. */
  countedFromBytes: number
  /** Of all unread answers of a user, or of an address without one. */
  ofOneBytes: number
  ofAllBytes: number
}

const defaultLimits: UnreadResponseLimits = {
  countedFromBytes: 32 * 1024,
  ofOneBytes: 16 * 1024 * 1024,
  ofAllBytes: 128 * 1024 * 1024,
}

/** An answer that its client has not read yet, which the process has in memory until then. */
type Unread = { owner: string; bytes: number; socket: Socket }

/**
 * Bounds the memory of big answers that are not read: past the limit of one user the connection of their oldest one is
 * closed, past that of all the oldest one of whoever has the most. Streams are not counted, as they wait for the
 * reader.
 */
export function limitUnreadResponses(app: FastifyInstance, limits = defaultLimits): void {
  /** The oldest first. There are few, as each is big. */
  const unread = new Set<Unread>()
  const watched = new WeakSet<Socket>()

  function add(answer: Unread, response: ServerResponse): void {
    const { owner, socket } = answer
    unread.add(answer)
    response.once('close', () => unread.delete(answer))
    // A pipelined response that waits behind another one emits no `close` when the connection ends.
    if (!watched.has(socket)) socket.once('close', () => forget(socket))
    watched.add(socket)
    for (let own = of(owner); own.length > 1 && sumOf(own) > limits.ofOneBytes; own = of(owner)) {
      closeConnection(own[0]!)
    }
    while (sumOf(unread) > limits.ofAllBytes) {
      const owners = Map.groupBy(unread, (each) => each.owner)
      closeConnection(maxBy(owners.values(), sumOf)![0]!)
    }
  }

  function of(owner: string): Unread[] {
    return [...unread].filter((answer) => answer.owner === owner)
  }

  function closeConnection({ socket }: Unread): void {
    forget(socket)
    socket.destroy()
  }

  function forget(socket: Socket): void {
    for (const answer of unread) if (answer.socket === socket) unread.delete(answer)
  }

  const count: onSendHookHandler<unknown> = (request, reply, payload, done) => {
    const { socket } = request.raw
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (isWhole && payload.length >= limits.countedFromBytes && !socket.destroyed) {
      const owner = request.caller?.owner_id ?? networkOf(app.addressOf(request.raw))
      add({ owner, bytes: Buffer.byteLength(payload), socket }, reply.raw)
    }
    done()
  }
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') route.onSend = [...[route.onSend ?? []].flat(), count]
  })
}

function sumOf(answers: Iterable<Unread>): number {
  let sum = 0
  for (const { bytes } of answers) sum += bytes
  return sum
}
