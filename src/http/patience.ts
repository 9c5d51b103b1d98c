import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'

/** How long the server waits for whom, in ms. */
export const patience = {
  /** Headers come in one piece; who dribbles them holds a socket for no longer than this. */
  headersTimeout: 10_000,
  /** A whole request: an attachment of 25 MiB over 700 kbit/s. */
  requestTimeout: 300_000,
  /** How often the two above are looked at; by default they would come 30 s late. */
  connectionsCheckingInterval: 2_000,
  /** An unused connection: longer than the minute after which common proxies let go, so that they are the ones to close. */
  keepAliveTimeout: 72_000,
  /** A connection on which nothing moves in the middle of a request or an answer: its client is gone, or does not read. */
  connectionTimeout: 60_000,
} as const

/** Open files that are not sockets of clients: the database, files being served, modules. */
const reservedFiles = 256

/**
 * Takes no more connections than leave files to open for everything else: past them a client is hung up on at once. Where
 * the system does not tell its limit there is none.
 */
export function limitConnections(server: Server): void {
  const limit = openFilesLimit()
  if (limit !== undefined) server.maxConnections = Math.max(limit - reservedFiles, Math.ceil(limit / 2))
}

function openFilesLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +([0-9]+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
