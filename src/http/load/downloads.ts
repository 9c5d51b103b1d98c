import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import { maxBy } from '../../concurrency/max-by.ts'
import { RateLimitError } from '../../errors.ts'
import { networkOf } from '../server/address.ts'
import { openFilesLimit } from '../server/server.ts'

declare module 'fastify' {
  interface FastifyInstance {
    downloads: Downloads
  }
}

export type DownloadLimits = {
  /** Open downloads of an address, and of a person. */
  ofOne: number
  /** Open downloads of the process, each of which takes a file descriptor. */
  ofAll: number
  /** A download that takes fewer bytes in this time is closed. */
  leastBytes: number
  withinMs: number
}

/** An open download, and the bytes that its connection had taken (`taken`) at a time (`sinceMs`). */
type Download = { owners: string[]; socket: Socket; content: Readable; taken: number; sinceMs: number }

/** The downloads of a process. */
export type Downloads = {
  readonly open: number
  readonly refused: number
  readonly closed: number
  /** Closes the downloads that have taken too few bytes in their time. Called regularly. */
  closeSlow(): void
}

const defaultLimits: DownloadLimits = {
  ofOne: 128,
  ofAll: Math.min(512, Math.floor((openFilesLimit() ?? Number.POSITIVE_INFINITY) / 4)),
  // 1 KiB a second. The system takes bytes by the hundred thousand, so the rate shows only over a long time.
  leastBytes: 120 * 1024,
  withinMs: 120_000,
}

/** A file of at most so many bytes is read at once: most pictures of people are, and pages have many. */
const wholeBytes = 64 * 1024
const checksPerTime = 8
const retryAfterMs = 1_000

/** Headers that describe a file, and that a refusal must not have. */
const fileHeaders = [
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'etag',
  'last-modified',
]

/**
 * Bounds the files that are being sent. Past the bound of an address or a person, a further one answers `rate_limit`.
 * Past the bound of all, the oldest of the address with the most is closed. A download that is read too slowly is closed,
 * too. `now`: the clock, in ms.
 */
export function limitDownloads(
  app: FastifyInstance,
  limits = defaultLimits,
  now = () => performance.now(),
): void {
  /** The oldest first. */
  const open = new Set<Download>()
  const counts = new Map<string, number>()
  const watched = new WeakSet<Socket>()
  const sums = { refused: 0, closed: 0 }
  app.decorate('downloads', {
    get open() {
      return open.size
    },
    get refused() {
      return sums.refused
    },
    get closed() {
      return sums.closed
    },
    closeSlow,
  })

  function add(download: Download, { raw }: FastifyReply): void {
    const { owners, socket } = download
    open.add(download)
    for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    raw.once('finish', () => remove(download))
    raw.once('close', () => remove(download))
    // A pipelined response that waits behind another one emits no `close` when the connection ends.
    if (!watched.has(socket)) socket.once('close', () => removeThoseOf(socket))
    watched.add(socket)
    if (open.size > limits.ofAll) {
      close(maxBy(Map.groupBy(open, ({ owners }) => owners[0]).values(), (all) => all.length)![0]!)
    }
  }

  function remove(download: Download): void {
    if (!open.delete(download)) return
    download.content.destroy()
    for (const owner of download.owners) {
      const count = counts.get(owner)! - 1
      if (count > 0) counts.set(owner, count)
      else counts.delete(owner)
    }
  }

  function removeThoseOf(socket: Socket): void {
    for (const download of open) if (download.socket === socket) remove(download)
  }

  function close({ socket }: Download): void {
    sums.closed += 1
    removeThoseOf(socket)
    socket.destroy()
  }

  function closeSlow(): void {
    const time = now()
    for (const download of open) {
      if (time - download.sinceMs < limits.withinMs) continue
      const taken = takenBytes(download.socket)
      if (taken - download.taken < limits.leastBytes) close(download)
      download.taken = taken
      download.sinceMs = time
    }
  }

  function refuse(reply: FastifyReply, content: Readable): RateLimitError {
    sums.refused += 1
    content.destroy()
    for (const name of fileHeaders) reply.removeHeader(name)
    return new RateLimitError(retryAfterMs, Date.now())
  }

  const count: onSendAsyncHookHandler<unknown> = async (request, reply, payload) => {
    if (!(payload instanceof Readable)) return payload
    const { socket } = request.raw
    // The answer to HEAD would read a file to its end; where the reader has gone, nobody would end the stream.
    if (request.method === 'HEAD' || socket.destroyed) payload.destroy()
    if (payload.destroyed) return payload
    if (Number(reply.getHeader('content-length')) <= wholeBytes) return buffer(payload)
    const owners = ownersOf(request)
    if (owners.some((owner) => (counts.get(owner) ?? 0) >= limits.ofOne)) throw refuse(reply, payload)
    add({ owners, socket, content: payload, taken: takenBytes(socket), sinceMs: now() }, reply)
    return payload
  }
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') route.onSend = [...[route.onSend ?? []].flat(), count]
  })
  const timer = setInterval(closeSlow, limits.withinMs / checksPerTime).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** The address first, then the person. */
function ownersOf({ caller, server, raw }: FastifyRequest): string[] {
  const address = networkOf(server.addressOf(raw))
  return caller ? [address, caller.owner_id] : [address]
}

/** The bytes that the system has taken of a connection so far. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}
