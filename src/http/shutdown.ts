import { Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { onceRead, waitAtMost } from '../deadline.ts'

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
  stopListening(app)
  await waitUntil(graceMs, () => onlySocketsLeft(app))
  // A connection whose next request has arrived, but was not read yet, seems to be idle.
  await new Promise<void>(onceRead)
  server.closeIdleConnections()
  await Promise.all([closeWhenFinished(app), app.close()])
}

/** Refuses new connections, and keeps those that there are: `close` of the HTTP server would close the idle ones. */
export function stopListening({ server }: FastifyInstance): void {
  if (server.listening) Server.prototype.close.call(server)
}

/** The answers of requests that came before the stop keep their connections alive, and `app.close` waits for these. */
async function closeWhenFinished(app: FastifyInstance): Promise<void> {
  await waitUntil(finishMs, async () => app.load.inFlight === 0)
  await waitUntil(graceMs, () => onlySocketsLeft(app))
  await new Promise<void>(onceRead)
  app.server.closeAllConnections()
}

/** Whether there are no connections but those of the gateway. */
async function onlySocketsLeft({ server, gateway }: FastifyInstance): Promise<boolean> {
  return (await countConnections(server)) === gateway.connectionCount
}

/** Waits until the condition holds, for `longestMs` at most, not counting time in which this process was stopped. */
async function waitUntil(longestMs: number, condition: () => Promise<boolean>): Promise<void> {
  let isOver = false
  const stopWaiting = waitAtMost(longestMs, () => {
    isOver = true
  })
  while (!isOver && !(await condition())) await pause(pollMs)
  stopWaiting()
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}
