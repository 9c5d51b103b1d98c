import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Kept, because finding it is a system call, and every message with a file needs it. */
const listeningOrigins = new WeakMap<Server, string>()

/** The address that clients reach this server at, without a slash at its end: PUBLIC_URL, else where it listens. */
export function publicUrl(app: FastifyInstance): string {
  const known = app.config.publicUrl ?? listeningOrigins.get(app.server)
  if (known !== undefined) return known
  if (!app.server.listening) return ''
  listeningOrigins.set(app.server, app.listeningOrigin)
  return app.listeningOrigin
}
