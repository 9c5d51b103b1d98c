import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../../support/gateway.ts'
import { failure } from '../../support/world.ts'

const app = await listen()

/** Sends raw text, and returns all that the server sends until it closes. */
function exchange(text: string): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

describe('what is no HTTP request', () => {
  const malformed = failure('invalid_schema', 'JSON body is malformed')
  const notFound = failure('not_found', 'Not found')
  const tooLarge = failure('payload_too_large', 'The request is too large')

  test.each([
    ['a method nobody knows', 'BREW /x HTTP/1.1\r\nHost: x\r\n\r\n', 404, notFound],
    ['a path of other characters', 'GET /a\x80b HTTP/1.1\r\nHost: x\r\n\r\n', 404, notFound],
    [
      'a length that is no number',
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: a\r\n\r\n',
      400,
      malformed,
    ],
    ['a header too long', `GET /x HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 413, tooLarge],
  ])('%s is answered in the envelope, for every origin', async (_what, text, status, body) => {
    const [head, content] = (await exchange(text)).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(head).toContain('Access-Control-Allow-Origin: *')
    expect(head).toContain('Connection: close')
    expect(head).toContain('Content-Type: application/json; charset=utf-8')
    expect(JSON.parse(content!)).toEqual(body)
  })
})

test.each([
  ['nothing at all', '', ''],
  ['half of a request', 'GET /app/ HTTP/1.1\r\n', 'HTTP/1.1 408 Request Timeout'],
])('a connection with %s for ten seconds is closed without JSON', async (_what, text, answer) => {
  const closing = once(app.server, 'connection').then(async ([socket]: Socket[]) => {
    if (text !== '') await expect.poll(() => socket!.bytesRead).toBe(text.length)
    // Node does this when its timeout has passed.
    app.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  })
  const [head] = (await exchange(text)).split('\r\n')
  await closing
  expect(head).toBe(answer)
})

test('a connection on which no request has come is closed, also if its client keeps its side open', async () => {
  const connected = once(app.server, 'connection')
  const { port } = app.server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void client.destroy())
  const [socket] = (await connected) as [Socket]
  app.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  expect(socket.destroyed).toBe(true)
})

test('what is no HTTP request is answered also while its body is still on its way', async () => {
  const length = 8_000_000
  const head = `POST /x HTTP/1.1\r\nHost: x\r\nX-Odd: \x01\r\nContent-Length: ${length}\r\n\r\n`
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(head + 'x'.repeat(length))))
  for (const answer of answers) expect(answer).toContain('HTTP/1.1 400 ')
})

test('CONNECT is answered also while what is meant for the other end is still on its way', async () => {
  const text = `CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n${'x'.repeat(8_000_000)}`
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(text)))
  for (const answer of answers) expect(answer).toContain('HTTP/1.1 404 ')
})

test('a client that resets its connection after a CONNECT does not end the process', async () => {
  const { port } = app.server.address() as AddressInfo
  const arrived = once(app.server, 'connect')
  const client = connect(port, '127.0.0.1', () => client.write('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'))
  const [, socket] = (await arrived) as [unknown, Socket]
  const closed = new Promise((resolve) => socket.once('close', resolve))
  client.resetAndDestroy()
  await closed
  expect(socket.errored).toMatchObject({ code: 'ECONNRESET' })
})

describe('what Node would refuse before any route', () => {
  const notFound = failure('not_found', 'Not found')

  test.each([
    ['a request without a host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'an expectation that nobody can meet',
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n',
    ],
  ])('%s goes on to its route', async (_what, text) => {
    const [head, content] = (await exchange(text)).split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 200 OK')
    expect(head).toContain('access-control-allow-origin: *')
    expect(JSON.parse(content!)).toEqual({ success: true, data: { status: 'ok' } })
  })

  test.each([
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['PRI, with which HTTP/2 begins', 'PRI /health\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['PRI that announces a body', 'PRI /health\r\nHost: x\r\nContent-Length: 5\r\n\r\n'],
  ])('%s is an unknown method, for every origin', async (_what, text) => {
    const [head, content] = (await exchange(text)).split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 404 Not Found')
    expect(head!.toLowerCase()).toContain('access-control-allow-origin: *')
    expect(JSON.parse(content!)).toEqual(notFound)
  })

  test('a path out of the folder of the documentation answers not_found', async () => {
    const text = 'GET /docs/static/%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const [head, content] = (await exchange(text)).split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 404 Not Found')
    expect(JSON.parse(content!)).toEqual(notFound)
  })
})

test('who never hangs up after a request that cannot be read is hung up on', async () => {
  const { port } = app.server.address() as AddressInfo
  const count = () => new Promise<number>((resolve) => app.server.getConnections((_error, n) => resolve(n)))
  await expect.poll(count).toBe(0)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).resume()
  socket.write('BREW /x HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'end')
  expect(await count()).toBe(1)
  vi.advanceTimersByTime(5_000)
  await expect.poll(count).toBe(0)
})
