import { describe, expect, test } from 'vitest'
import { listen, raw } from '../../support/gateway.ts'
import { call, db, failure, type Person, published, user } from '../../support/world.ts'

const json = 'application/json'
const malformed = failure('invalid_schema', 'JSON body is malformed')
const empty = failure('invalid_schema', 'JSON body cannot be empty')
const wrongType = failure('internal_server_error', 'Something went wrong internally')
const tooLarge = failure('payload_too_large', 'The request is too large')
const bioOf = async (person: Person) =>
  (await db.selectFrom('users').select('bio').where('id', '=', person.id).executeTakeFirstOrThrow()).bio

/** Sends these bytes with this type to PATCH /users/@me. */
function send(caller: Person, payload: string | Buffer, type = json, more: object = {}) {
  const headers = { 'content-type': type, ...more }
  return call(caller, 'PATCH', '/users/@me', undefined, { payload, headers })
}

describe('bodies of a route that takes one', () => {
  test('a body without fields is refused as empty', async () => {
    const answer = await send(await user(), '{}')
    expect([answer.status, answer.body]).toEqual([400, empty])
  })

  // http/every-route.test.ts sends the others.
  test.each(['multipart/form-data', 'application/jsonx', 'application/merge-patch+json'])(
    'type %j is not supported',
    async (type) => {
      const ann = await user()
      const answer = await send(ann, '{"bio":"x"}', type)
      expect([answer.status, answer.body]).toEqual([415, wrongType])
      expect(await bioOf(ann)).toBe('')
    },
  )

  test('a content encoding other than identity is not supported', async () => {
    const ann = await user()
    const answer = await send(ann, '{"bio":"x"}', json, { 'content-encoding': 'gzip' })
    expect([answer.status, answer.body]).toEqual([415, wrongType])
    for (const identity of ['identity', 'Identity']) {
      expect((await send(ann, '{"bio":"x"}', json, { 'content-encoding': identity })).status).toBe(200)
    }
  })

  test.each([
    '[{"bio":"x"}]',
    'true',
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
    `{"x":${'['.repeat(31)}${']'.repeat(31)}}`,
    `{"x":${'{"a":'.repeat(31)}1${'}'.repeat(31)}}`,
  ])('%# holds plain unknown fields', async (payload) => {
    const ann = await user()
    const before = published.length
    const answer = await send(ann, payload)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({ id: ann.id, bio: '' })
    const events = published.slice(before)
    expect(events.filter((event) => JSON.stringify(event).includes(ann.id))).toEqual([])
    expect(({} as { bio?: string }).bio).toBeUndefined()
  })
})

describe('values in a body', () => {
  const keys = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, place) => [`key ${place}`, '[,{"'])))
  const members = (count: number) => `{"x":[${'0 ,'.repeat(count - 2)}[]]}`
  const nested = (depth: number) => `{"bio":"[[[{{{","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const inString = JSON.stringify({ x: '[{,"\\'.repeat(100_000), y: '\\' })

  test.each([
    ['20,000 keys', keys(20_000), 200],
    ['20,001 keys', keys(20_001), 400],
    ['1,200,000 keys', keys(1_200_000).slice(0, 12_000_000), 400],
    ['20,000 values in lists', members(20_000), 200],
    ['20,001 values in lists', members(20_001), 400],
    ['32 lists and objects within each other', nested(32), 200],
    ['33 lists and objects within each other', nested(33), 400],
    ['12 million lists within each other', '['.repeat(12_000_000), 400],
    ['20,002 empty lists', `{"x":[${'[],'.repeat(20_001)}[]]}`, 400],
    ['as many brackets and commas as wanted in strings', inString, 200],
  ])('%s answer %#', async (_name, payload, status) => {
    const answer = await send(await user(), payload)
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.body).toEqual(malformed)
  })

  test('more of them do not matter where the body is ignored', async () => {
    const more = { payload: '['.repeat(30_000), headers: { 'content-type': json } }
    const answer = await call(await user(), 'DELETE', '/users/@me/houses/1', undefined, more)
    expect(answer.body.error.code).toBe('out_of_scope')
  })
})

test('DELETE with more than 256 KiB is too large', async () => {
  const more = { payload: 'x'.repeat(256 * 1024 + 1), headers: { 'content-type': json } }
  const answer = await call(await user(), 'DELETE', '/users/@me/houses/1', undefined, more)
  expect([answer.status, answer.body]).toEqual([413, tooLarge])
})

describe('over a real connection', () => {
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
    const app = await listen()
    const ann = await user()
    const head = `PATCH /users/@me HTTP/${version}\r\naUTHORIZATION: ${ann.token}\r\ncontent-TYPE: application/json\r\n`
    const answer = await raw(app, `${head}connection: close\r\n${length}\r\n\r\n${body}`)
    expect(answer).toContain('HTTP/1.1 200 OK')
    expect(answer).toContain('"bio":"z"')
    expect(await bioOf(ann)).toBe('z')
  })

  test('a connection stays usable after bodies that are not read, or only in part', async () => {
    const app = await listen()
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
