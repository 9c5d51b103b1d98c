import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { listen, portOf, raw } from '../../support/gateway.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { failure, group, noAuth, user } from '../../support/world.ts'

const json = 'application/json'
const tooLarge = failure('payload_too_large', 'The request is too large')
const mib = 1024 * 1024
const app = await listen()
const port = portOf(app)
const pieces = (size: number) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < size; at += mib) controller.enqueue(new Uint8Array(mib).fill(0x20))
      controller.close()
    },
  })

test.each([
  ['of known length', (size: number) => 'x'.repeat(size)],
  ['in chunks', pieces],
])('the refusal of an upload %s reaches the client', async (_name, body) => {
  const url = `http://127.0.0.1:${port}/users/@me`
  const ann = await user()
  for (const [authorization, status, refusal] of [
    [ann.token, 413, tooLarge],
    ['x', 400, noAuth],
  ] as const) {
    const headers = { authorization, 'content-type': json }
    const init = { method: 'PATCH', headers, body: body(30 * mib), duplex: 'half' } as RequestInit
    const answer = await fetch(url, init)
    expect([answer.status, await answer.json()]).toEqual([status, refusal])
  }
})

const size = 4 * mib
const plain = (text: string) => text
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

test.each([
  ['Connection: keep-alive', `Content-Length: ${size}`, plain, ''],
  ['Connection: close', `Content-Length: ${size}`, plain, ''],
  ['Connection: keep-alive', 'Transfer-Encoding: chunked', chunk, '0\r\n\r\n'],
])(
  'who is still sending (%s, %s) gets a refusal at once; when all is sent the connection ends in order',
  async (connection, framing, framed, end) => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    let answer = ''
    socket.on('data', (part) => {
      answer += part
    })
    socket.write(
      `POST /houses HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\n${connection}\r\n` +
        `Content-Type: ${json}\r\n${framing}\r\n\r\n${framed('{')}`,
    )
    const [head, refusal] = (await vi.waitUntil(() => answer.includes('}}') && answer, { timeout: 60_000 }))
      .toString()
      .split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(head).toMatch(/^connection: close$/im)
    expect(JSON.parse(refusal!)).toEqual(noAuth)
    const ended = once(socket, 'end')
    for (let left = size - 1; left > 0; left -= 1024) socket.write(framed(' '.repeat(Math.min(left, 1024))))
    socket.write(end)
    await ended
  },
)

test('an upload that is refused in its middle can be sent to its end', async () => {
  const ann = await user()
  const room = await group(ann, await user())
  const { payload, headers } = multipart(
    { name: 'content', value: 'x'.repeat(70_000) },
    filePart('x'.repeat(8 * mib)),
  )
  const body = String(payload)
  const answer = await raw(
    app,
    `POST /rooms/${room}/media_messages HTTP/1.1\r\nHost: x\r\nAuthorization: ${ann.token}\r\nConnection: close\r\n` +
      `Content-Type: ${headers!['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  expect(answer).toContain('HTTP/1.1 413 ')
  expect(answer).toContain(JSON.stringify(tooLarge))
})

test('closes a client that sends far more than 64 MiB after a refusal', async () => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const length = 1024 * mib
  socket
    .resume()
    .write(
      `POST /houses HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\nContent-Type: ${json}\r\nContent-Length: ${length}\r\n\r\n`,
    )
  const piece = Buffer.alloc(mib, 0x20)
  let sent = 0
  while (sent < length && !socket.destroyed) {
    sent += mib
    if (!socket.write(piece))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
  }
  await closed
  expect(sent).toBeGreaterThan(64 * mib)
  expect(sent).toBeLessThan(length)
})

test('a body that follows its headers in a moment leaves the connection open', async () => {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  const head = `POST /houses HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\nContent-Type: ${json}\r\nContent-Length: 2\r\n\r\n`
  app.server.once('request', () => socket.write('{}'))
  socket.write(head)
  const [answer] = await once(socket, 'data')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toMatch(/^connection: keep-alive$/im)
  socket.destroy()
})
