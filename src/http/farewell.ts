import { Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long clients may still ask over connections they have kept: the answer tells them that it is the last one. */
const graceMs = 1_000
/** Requests in flight after that get so long. */
const finishMs = 4_000
const pollMs = 20

/**
 * Stops an app that listens so that no request fails that was accepted. First nobody new is let in, as long as few are on
 * their way; then the answers over kept connections say `Connection: close`; then those that stayed idle are closed. Were
 * they closed at once, requests that are being sent at that moment would be lost.
 */
export async function closeGently(app: FastifyInstance): Promise<void> {
  const { server } = app
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  // Of the listening alone: that of HTTP would hang up on idle connections as well.
  Server.prototype.close.call(server)
  await waitUntil(graceMs, async () => (await countConnections(server)) === app.gateway.connectionCount)
  server.closeIdleConnections()
  await Promise.all([waitUntil(finishMs, async () => app.load.inFlight === 0), app.close()])
  server.closeAllConnections()
}

async function waitUntil(longestMs: number, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + longestMs
  while (performance.now() < deadline && !(await condition())) await delay(pollMs)
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}
