import { Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long kept-alive connections may still send requests; each is answered with `Connection: close`. */
const graceMs = 1_000
/** How long the requests in flight may take after that. */
const finishMs = 4_000
const pollMs = 20

/**
 * Stops a listening app without failing a request. New connections are refused; requests on kept-alive connections are
 * answered with `Connection: close`; what stayed idle is closed after `graceMs`. Closing idle connections at once would
 * lose the requests that are being sent on them.
 */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  const { server } = app
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  // `close` of the HTTP server would close idle connections as well.
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
