import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, onSendHookHandler } from 'fastify'

export type UnreadLimits = {
  /** Smaller answers are not counted: most of them are in the buffers of the system at once. */
  countedFromBytes: number
  /** Of all unread answers of a user, or of an address without one. */
  ofOneBytes: number
  ofAllBytes: number
}

const defaultLimits: UnreadLimits = {
  countedFromBytes: 32 * 1024,
  ofOneBytes: 16 * 1024 * 1024,
  ofAllBytes: 128 * 1024 * 1024,
}

/** An answer that its client has not read yet, which the process has in memory until then. */
type Unread = { owner: string; bytes: number; socket: Socket }
type Owner = { bytes: number; answers: Set<Unread> }

/**
 * Bounds the memory of big answers that are not read: past the limit of one user the connection of their oldest one is
 * closed, past that of all the oldest one of whoever has the most. Streams are not counted, as they wait for the reader.
 */
export function boundUnreadAnswers(app: FastifyInstance, limits = defaultLimits): void {
  const owners = new Map<string, Owner>()
  const bySocket = new WeakMap<Socket, Set<Unread>>()
  let total = 0

  function add(answer: Unread, response: ServerResponse): void {
    const owner = owners.get(answer.owner) ?? { bytes: 0, answers: new Set() }
    owners.set(answer.owner, owner)
    owner.answers.add(answer)
    owner.bytes += answer.bytes
    total += answer.bytes
    answersOn(answer.socket).add(answer)
    response.once('close', () => remove(answer))
    while (owner.bytes > limits.ofOneBytes && owner.answers.size > 1) closeOldest(owner)
    while (total > limits.ofAllBytes) closeOldest(heaviest())
  }

  /** Those that wait behind one that is being sent are not told of the end of their connection. */
  function answersOn(socket: Socket): Set<Unread> {
    const known = bySocket.get(socket)
    if (known) return known
    const answers = new Set<Unread>()
    bySocket.set(socket, answers)
    socket.once('close', () => {
      for (const answer of answers) remove(answer)
    })
    return answers
  }

  function remove(answer: Unread): void {
    const owner = owners.get(answer.owner)
    if (!owner?.answers.delete(answer)) return
    bySocket.get(answer.socket)!.delete(answer)
    owner.bytes -= answer.bytes
    total -= answer.bytes
    if (owner.answers.size === 0) owners.delete(answer.owner)
  }

  function closeOldest({ answers }: Owner): void {
    const [oldest] = answers
    for (const answer of answersOn(oldest!.socket)) remove(answer)
    oldest!.socket.destroy()
  }

  function heaviest(): Owner {
    return [...owners.values()].reduce((one, other) => (other.bytes > one.bytes ? other : one))
  }

  const count: onSendHookHandler<unknown> = (request, reply, payload, done) => {
    const { socket } = request.raw
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (isWhole && payload.length >= limits.countedFromBytes && !socket.destroyed) {
      const owner = request.caller?.id ?? app.addressOf(request.raw)
      add({ owner, bytes: Buffer.byteLength(payload), socket }, reply.raw)
    }
    done()
  }
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') route.onSend = [...[route.onSend ?? []].flat(), count]
  })
}
