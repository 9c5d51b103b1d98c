import type { FastifyInstance } from 'fastify'

/** The address that clients reach this server at, without a slash at its end: PUBLIC_URL, else where it listens. */
export function publicUrl(app: FastifyInstance): string {
  return app.config.publicUrl ?? (app.server.listening ? app.listeningOrigin : '')
}
