import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { raw } from '../support/gateway.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { app, call, db, failure, group, noAuth, type Person, published, user } from '../support/world.ts'

const json = 'application/json'
const malformed = failure('invalid_schema', 'JSON body is malformed')
const empty = failure('invalid_schema', 'JSON body cannot be empty')
const wrongType = failure('internal_server_error', 'Something went wrong internally')
const tooLarge = failure('payload_too_large', 'The request is too large')
const bioOf = async (person: Person) =>
  (await db.selectFrom('users').select('bio').where('id', '=', person.id).executeTakeFirstOrThrow()).bio

/** Sends these bytes with this type (null: none) to PATCH /users/@me. */
function send(caller: Person, payload: string | Buffer, type: string | null = json, more: object = {}) {
  const headers = { ...(type === null ? {} : { 'content-type': type }), ...more }
  return call(caller, 'PATCH', '/users/@me', undefined, { payload, headers })
}

describe('bodies of a route that takes one', () => {
  test.each([
    ['no type', null, ''],
    ['an empty type', '', ''],
    ['JSON', json, ''],
    ['JSON', json, ' \r\n\t'],
    ['JSON', json, 'null'],
    ['JSON', json, '{}'],
    ['JSON with parameters', 'Application/JSON; charset=utf-8; x=y', ''],
    ['a form', 'application/x-www-form-urlencoded', ''],
  ])('with %s (%j), %j counts as an empty object', async (_name, type, payload) => {
    const answer = await send(await user(), payload, type)
    expect([answer.status, answer.body]).toEqual([400, empty])
  })

  test.each([
    [null, '{"bio":"x"}'],
    ['', '{"bio":"x"}'],
    ['application/x-www-form-urlencoded', 'bio=x'],
    ['multipart/form-data; boundary=x', ''],
    ['multipart/form-data', '{"bio":"x"}'],
    ['text/plain', ''],
    ['text/plain', '{"bio":"x"}'],
    ['application/jsonx', '{"bio":"x"}'],
    ['application/merge-patch+json', '{"bio":"x"}'],
    ['nonsense', '{"bio":"x"}'],
  ])('type %j with %j is not supported', async (type, payload) => {
    const ann = await user()
    const answer = await send(ann, payload, type)
    expect([answer.status, answer.body]).toEqual([415, wrongType])
    expect(await bioOf(ann)).toBe('')
  })

  test('a content encoding other than identity is not supported', async () => {
    const ann = await user()
    const answer = await send(ann, '{"bio":"x"}', json, { 'content-encoding': 'gzip' })
    expect([answer.status, answer.body]).toEqual([415, wrongType])
    for (const identity of ['identity', 'Identity']) {
      expect((await send(ann, '{"bio":"x"}', json, { 'content-encoding': identity })).status).toBe(200)
    }
  })

  test.each([
    '[]',
    '[{"bio":"x"}]',
    '"x"',
    '5',
    'true',
    '{',
    '{"bio":"x"',
    '{"bio":"x",}',
    "{'bio':'x'}",
    '{"bio":"x"}{}',
    '{"bio":"\u0000"}',
    '\u0000',
    'undefined',
    'NaN',
    '{"bio":"\\ud8"}',
    '['.repeat(100_000),
  ])('%j is malformed', async (payload) => {
    const ann = await user()
    const answer = await send(ann, payload)
    expect([answer.status, answer.body]).toEqual([400, malformed])
    expect(await bioOf(ann)).toBe('')
  })

  test('bytes that are no UTF-8 are malformed', async () => {
    const bytes = Buffer.concat([Buffer.from('{"bio":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    const answer = await send(await user(), bytes)
    expect([answer.status, answer.body]).toEqual([400, malformed])
  })

  test.each(['{"bio":"a\\u0000b"}', '{"bio":"\\ud800"}', '{"bio":"\\udc00 x"}'])(
    '%s holds what no string may hold',
    async (payload) => {
      const answer = await send(await user(), payload)
      expect([answer.status, answer.body]).toEqual([400, failure('invalid_schema', 'Invalid fields (bio)')])
    },
  )

  test('a byte order mark is skipped, and of equal keys the last wins', async () => {
    const ann = await user()
    expect((await send(ann, '\uFEFF{"bio":"first","bio":"last"}')).status).toBe(200)
    expect(await bioOf(ann)).toBe('last')
  })

  test.each([
    '{"__proto__":{"bio":"x","name":5}}',
    '{"constructor":{"prototype":{"bio":"x"}}}',
    '{"__proto__":null}',
    '{"toString":1,"hasOwnProperty":2}',
    `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    `{"x":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
  ])('%# holds plain unknown fields', async (payload) => {
    const ann = await user()
    published.length = 0
    const answer = await send(ann, payload)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({ id: ann.id, bio: '' })
    expect(published).toEqual([])
    expect(({} as { bio?: string }).bio).toBeUndefined()
  })
})

describe('bodies where none is taken', () => {
  test.each(['{}', 'null', '', '{', 'x'.repeat(1_000)])('GET with %j works', async (payload) => {
    const ann = await user()
    for (const type of [json, 'text/plain', 'nonsense']) {
      const more = { payload, headers: { 'content-type': type } }
      expect((await call(ann, 'GET', '/users/@me', undefined, more)).status).toBe(200)
    }
  })

  test.each(['{}', 'null', '', '{', '[]', 'x'])('DELETE with %j works', async (payload) => {
    const ann = await user()
    for (const type of [json, 'text/plain', 'nonsense', '']) {
      const more = { payload, headers: { 'content-type': type } }
      const answer = await call(ann, 'DELETE', '/users/@me/houses/1', undefined, more)
      expect(answer.body.error.code).toBe('out_of_scope')
    }
  })

  test('DELETE with more than 256 KiB is too large', async () => {
    const more = { payload: 'x'.repeat(256 * 1024 + 1), headers: { 'content-type': json } }
    const answer = await call(await user(), 'DELETE', '/users/@me/houses/1', undefined, more)
    expect([answer.status, answer.body]).toEqual([413, tooLarge])
  })
})

describe('over a real connection', () => {
  const mib = 1024 * 1024
  const listen = async () => {
    if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/users/@me`
  }
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
    const url = await listen()
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

  test.each([
    [
      'in chunks',
      '1.1\r\nHost: x',
      'TRANSFER-ENCODING: Chunked',
      '6;x=y\r\n{"bio"\r\n005\r\n:"z"}\r\n0\r\nX: y\r\n\r\n',
    ],
    ['after 100 Continue', '1.1\r\nhost: x', 'content-length: 11\r\nExpect: 100-continue', '{"bio":"z"}'],
    ['in HTTP/1.0', '1.0', 'Content-Length: 11', '{"bio":"z"}'],
  ])('a body %s is read as any other', async (_name, version, length, body) => {
    await listen()
    const ann = await user()
    const head = `PATCH /users/@me HTTP/${version}\r\naUTHORIZATION: ${ann.token}\r\ncontent-TYPE: application/json\r\n`
    const answer = await raw(app, `${head}connection: close\r\n${length}\r\n\r\n${body}`)
    expect(answer).toContain('HTTP/1.1 200 OK')
    expect(answer).toContain('"bio":"z"')
    expect(await bioOf(ann)).toBe('z')
  })

  test.each(['keep-alive', 'close'])(
    'who is still sending (%s) gets a refusal at once; when all is sent the connection ends in order',
    async (connection) => {
      const { port } = new URL(await listen())
      const size = 4 * mib
      const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
      let answer = ''
      socket.on('data', (part) => {
        answer += part
      })
      socket.write(
        `POST /houses HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\nConnection: ${connection}\r\n` +
          `Content-Type: ${json}\r\nContent-Length: ${size}\r\n\r\n{`,
      )
      const [head, refusal] = (await vi.waitUntil(() => answer.includes('}}') && answer, { timeout: 20_000 }))
        .toString()
        .split('\r\n\r\n')
      expect(head).toMatch(/^HTTP\/1\.1 400 /)
      expect(head).toMatch(/^connection: close$/im)
      expect(JSON.parse(refusal!)).toEqual(noAuth)
      const ended = once(socket, 'end')
      for (let left = size - 1; left > 0; left -= 1024) socket.write(' '.repeat(Math.min(left, 1024)))
      await ended
    },
  )

  test('an upload that is refused in its middle can be sent to its end', async () => {
    await listen()
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

  test('a connection goes on after bodies that are not read, or not to their end', async () => {
    await listen()
    const { token } = await user()
    const ask = (line: string, body: string, headers = `Authorization: ${token}\r\nContent-Type: ${json}`) =>
      `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const large = 'x'.repeat(300_000)
    const answers = await raw(
      app,
      ask('GET /users/@me', large) +
        ask('DELETE /users/@me/houses/1', '{"x":') +
        ask('HEAD /users/@me', '{}') +
        ask('OPTIONS /users/@me', large) +
        ask('POST /houses', '{}', 'X: no token') +
        ask('GET /users/@me', '', `Authorization: ${token}\r\nConnection: close`),
    )
    const statuses = [...answers.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map(([, status]) => Number(status))
    expect(statuses).toEqual([200, 400, 200, 204, 400, 200])
  })
})
