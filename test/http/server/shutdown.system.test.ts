import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { expect, test, vi } from 'vitest'
import { closeGracefully } from '../../../src/http/server/shutdown.ts'
import { listen, portOf } from '../../support/gateway.ts'
import { someTurns, standStill } from '../../support/standstill.ts'

const ask = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'

/** A connection, and what has come over it so far. */
function talkTo(app: FastifyInstance) {
  const socket = connect(portOf(app), '127.0.0.1')
  const answers: string[] = []
  socket.on('data', (chunk) => answers.push(String(chunk)))
  return { socket, answered: () => answers.join('') }
}

test('a request that came while the process itself stood still is answered before its connection is closed', async () => {
  const app = await listen()
  const { socket, answered } = talkTo(app)
  socket.write(ask)
  await once(socket, 'data')
  const closing = closeGracefully(app)
  await vi.waitUntil(() => !app.server.listening, { timeout: 20_000 })
  await someTurns()
  socket.write(ask)
  standStill(1_500)
  await Promise.all([closing, once(socket, 'close')])
  expect(answered().match(/HTTP\/1.1 200 OK/g)).toHaveLength(2)
  expect(answered().match(/connection: close/gi)).toHaveLength(1)
})

/** An app that stops while a request is in flight, at the moment when it has closed the idle connections. */
async function stopWithRequestInFlight() {
  const app = await listen()
  const { socket, answered } = talkTo(app)
  const begun = once(app.server, 'request')
  socket.write(
    'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n',
  )
  await begun
  const endsIdle = vi.spyOn(app.server, 'closeIdleConnections')
  const closing = closeGracefully(app)
  await vi.waitUntil(() => endsIdle.mock.calls.length > 0, { timeout: 20_000 })
  return { socket, answered, stopped: Promise.all([closing, once(socket, 'close')]) }
}

test('a connection whose request took longest does not delay the stop', async () => {
  const { socket, answered, stopped } = await stopWithRequestInFlight()
  socket.write('{}')
  await stopped
  expect(answered()).toContain('HTTP/1.1 400')
})

test('a request that takes longer than idle connections are waited for, and as long again, is answered', async () => {
  const { socket, answered, stopped } = await stopWithRequestInFlight()
  await pause(1_500)
  socket.write('{}')
  await stopped
  expect(answered()).toContain('HTTP/1.1 400')
})
