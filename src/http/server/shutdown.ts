import { Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterPendingIo, stallTolerantTimeout } from '../../concurrency/stall-tolerant-timeout.ts'

/** How long HTTP is answered after the sockets were closed, on new connections too. */
const afterSocketsMs = 1_000
/** How long kept-alive connections may still send requests after that; each is answered with `Connection: close`. */
const graceMs = 1_000
/** How long the requests in flight may take after that. */
const finishMs = 4_000
const pollMs = 20
/** Under load there may be no turn of the event loop without a new connection. */
const maxTurns = 100

/**
 * Stops a listening app without failing a request. After `stopListening`, requests on kept-alive connections are
 * answered with `Connection: close`; what stayed idle is closed after `graceMs`. Closing idle connections at once would
 * lose the requests that are being sent on them.
 */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  await stopListening(app)
  app.server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  await waitUntil(graceMs, () => onlySocketsLeft(app))
  // A connection whose next request has arrived, but was not read yet, seems to be idle.
  await new Promise<void>(afterPendingIo)
  app.server.closeIdleConnections()
  await Promise.all([closeWhenFinished(app), app.close()])
}

/**
 * Closes the sockets of the gateway, goes on to answer HTTP for `afterSocketsMs`, and then refuses new connections
 * (existing clients open a connection for each request, and crash when one is refused). Open connections stay:
 * `close` of the HTTP server would close the idle ones.
 */
export async function stopListening({ server, gateway }: FastifyInstance): Promise<void> {
  if (!server.listening) return
  // `app.close` waits for it: sockets that read slowly are closed while HTTP is answered.
  void gateway.stop()
  await waitUntil(afterSocketsMs, async () => false)
  await untilNoneConnects(server)
  if (server.listening) Server.prototype.close.call(server)
}

/** Waits for a turn of the event loop without a new connection: a close resets connections that wait to be accepted. */
async function untilNoneConnects(server: Server): Promise<void> {
  let connected = 0
  const count = () => {
    connected += 1
  }
  server.on('connection', count)
  for (let turn = 0, before = -1; turn < maxTurns && connected > before; turn += 1) {
    before = connected
    await new Promise<void>(afterPendingIo)
  }
  server.off('connection', count)
}

/** The answers of requests that came before the stop keep their connections alive, and `app.close` waits for these. */
async function closeWhenFinished(app: FastifyInstance): Promise<void> {
  await waitUntil(finishMs, async () => app.load.inFlight === 0)
  await waitUntil(graceMs, () => onlySocketsLeft(app))
  await new Promise<void>(afterPendingIo)
  app.server.closeAllConnections()
}

/** Whether there are no connections but those of the gateway. */
async function onlySocketsLeft({ server, gateway }: FastifyInstance): Promise<boolean> {
  return (await countConnections(server)) === gateway.connectionCount
}

/** Waits until the condition is true, for `longestMs` at most, not counting time in which this process was stopped. */
async function waitUntil(longestMs: number, condition: () => Promise<boolean>): Promise<void> {
  let isOver = false
  const stopWaiting = stallTolerantTimeout(longestMs, () => {
    isOver = true
  })
  while (!isOver && !(await condition())) await pause(pollMs)
  stopWaiting()
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
}
