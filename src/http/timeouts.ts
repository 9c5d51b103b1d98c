import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'

/** The timeouts of the HTTP server, in ms. */
export const timeouts = {
  /** For the headers of a request, which come in one piece from all but slow-header attacks. */
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

/** File descriptors kept for what is not a client: the database, files being served, modules. */
const reservedFiles = 256

/**
 * Limits connections to what the process may open, less a reserve; further ones are closed at once. No limit where the
 * system does not tell its own (`/proc`, Linux).
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
