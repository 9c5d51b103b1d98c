import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'

/** The timeouts of the HTTP server, in ms. */
export const timeouts = {
  /** For the headers of a request, which arrive at once except in slow-header attacks. */
  headersTimeout: 10_000,
  /** For a whole request: an attachment of 25 MiB at 700 kbit/s. */
  requestTimeout: 300_000,
  /** How often the two above are checked; by default every 30 s. */
  connectionsCheckingInterval: 2_000,
  /** For an idle connection: longer than the 60 s of common proxies, so that they are the ones to close. */
  keepAliveTimeout: 72_000,
  /** For a connection without traffic in the middle of a request or an answer. */
  connectionTimeout: 60_000,
} as const

/** File descriptors reserved for other things than clients: the database, files being served, modules. */
const reservedFiles = 256

/**
 * Limits connections to the open files that the process may have, less a reserve; further ones are closed at once.
 * There is no limit where that number is not known (it is read from `/proc`, on Linux).
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
