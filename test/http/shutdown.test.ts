import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { closeGracefully } from '../../src/http/shutdown.ts'
import { listen, portOf } from '../support/gateway.ts'
import { someTurns, standStill } from '../support/standstill.ts'

const ask = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'

test('a request that came while the process itself stood still is answered before its connection is closed', async () => {
  const app = await listen()
  const socket = connect(portOf(app), '127.0.0.1')
  let answers = ''
  socket.on('data', (chunk) => {
    answers += chunk
  })
  socket.write(ask)
  await once(socket, 'data')
  const closing = closeGracefully(app)
  await someTurns()
  socket.write(ask)
  standStill(1_500)
  await Promise.all([closing, once(socket, 'close')])
  expect(answers.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2)
  expect(answers.match(/connection: close/gi)).toHaveLength(1)
})

test('a connection whose request took longer than the others were waited for does not hold up the stop', async () => {
  const app = await listen()
  const socket = connect(portOf(app), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const begun = once(app.server, 'request')
  socket.write(
    'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n',
  )
  await begun
  const closing = closeGracefully(app)
  setTimeout(() => socket.write('{}'), 1_500)
  await Promise.all([closing, once(socket, 'close')])
  expect(answer).toContain('HTTP/1.1 400')
})
