import { expect, test } from 'vitest'
import { listen, raw } from '../support/gateway.ts'
import { app, call, failure, user } from '../support/world.ts'

const notFound = failure('not_found', 'Not found')
const jsonType = 'application/json; charset=utf-8'

test('a route is served at the root and under /v1, and nowhere else', async () => {
  const ann = await user()
  expect((await call(ann, 'GET', '/v1/users/@me?x=1&x=2')).status).toBe(200)
  for (const path of ['/v2/users/@me', '/v1/v1/users/@me', '/V1/users/@me', '/Users/@me', '/v1users/@me']) {
    const answer = await call(ann, 'GET', path)
    expect([path, answer.status, answer.body]).toEqual([path, 404, notFound])
  }
})

test('an unknown path, or a method a known path lacks, answers not_found in the envelope', async () => {
  const ann = await user()
  const calls = [
    ['GET', '/nowhere'],
    ['GET', '/v1'],
    ['GET', '/v1/nowhere'],
    ['GET', '/nothing'],
    ['GET', '/houses'],
    ['GET', '/users'],
    ['POST', '/users/@me'],
    ['PUT', '/users/@me'],
    ['DELETE', '/health'],
    ['PATCH', `/users/${ann.id}`],
  ] as const
  for (const [method, path] of calls) {
    const answer = await call(ann, method, path, method === 'GET' ? undefined : { bio: 'x' })
    expect([path, answer.status, answer.body]).toEqual([path, 404, notFound])
    expect(answer.headers['content-type']).toBe(jsonType)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  }
})

test('an unknown method or path is not found without a token, too', async () => {
  const more = { payload: '{', headers: { 'content-type': 'text/plain' } }
  const answer = await call(null, 'POST', '/nothing', undefined, more)
  expect([answer.status, answer.body]).toEqual([404, notFound])
})

test('a path with bad percent-encoding answers not_found', async () => {
  for (const path of ['/users/%zz', '/users/%', '/users/%e2%82', '/%c0%80', '/v1/users/%ff']) {
    const answer = await call(null, 'GET', path)
    expect([path, answer.status, answer.body]).toEqual([path, 404, notFound])
    expect(answer.headers['content-type']).toBe(jsonType)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  }
})

test('a path in percent-encoding leads where the plain one does', async () => {
  const ann = await user()
  for (const path of ['/%75sers/@me', '/users/%40me', '/users/%40%6de', '/%76%31/users/@me']) {
    expect([path, (await call(ann, 'GET', path)).body.data?.id]).toEqual([path, ann.id])
  }
  expect((await call(ann, 'PATCH', '/users/%40me', { bio: 'x' })).status).toBe(200)
})

test('success comes in its envelope, as UTF-8 JSON, readable from everywhere', async () => {
  const answer = await call(await user(), 'GET', '/users/@me')
  expect(Object.keys(answer.body)).toEqual(['success', 'data'])
  expect(answer.headers['content-type']).toBe(jsonType)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  expect(answer.headers['access-control-expose-headers']).toBe(
    'Link, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset',
  )
})

test('HEAD says how long the body of GET is, and is not found where GET is not', async () => {
  const ann = await user()
  const [get, head] = [await call(ann, 'GET', '/users/@me'), await call(ann, 'HEAD', '/users/@me')]
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
  expect((await call(null, 'HEAD', '/nothing')).status).toBe(404)
})

test('OPTIONS on any path answers what is allowed, without a body', async () => {
  const asked = { origin: 'https://a.example', 'access-control-request-method': 'PATCH' }
  for (const path of ['/users/@me', '/v1/users/@me', '/nothing', '/', '/users/%zz', '/v1', '/socket']) {
    for (const headers of [asked, {}]) {
      const answer = await call(null, 'OPTIONS', path, undefined, { headers })
      expect([path, answer.status, answer.text]).toEqual([path, 204, ''])
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers['access-control-allow-methods']).toBe('GET, POST, PUT, PATCH, DELETE')
      expect(answer.headers['access-control-allow-headers']).toBe(
        'Authorization, Content-Type, X-Audit-Reason',
      )
      expect(answer.headers['access-control-max-age']).toBe('86400')
    }
  }
})

test('the whole address works as its path does, as proxies send it', async () => {
  const ann = await user()
  const server = await listen()
  const ask = (target: string) =>
    raw(
      server,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${ann.token}\r\nConnection: close\r\n\r\n`,
    )
  expect(await ask('http://hearth.test/v1/users/@me')).toContain(`"id":"${ann.id}"`)
  expect(await ask('http://hearth.test:8080/users/@me?x=1')).toContain(`"id":"${ann.id}"`)
  expect(await ask('http://hearth.test')).toContain('HTTP/1.1 404 ')
})

test('one slash at the end is tolerated, not two, nor one too many elsewhere', async () => {
  const ann = await user()
  for (const path of ['/users/@me//', '//users/@me', '/users//@me', '/v1//users/@me']) {
    expect([path, (await call(ann, 'GET', path)).status]).toEqual([path, 404])
  }
})

test('statuses 401, 403 and 405 are no part of any described answer', async () => {
  const document = JSON.stringify(app.swagger())
  for (const status of ['401', '403', '405']) expect(document).not.toContain(`"${status}"`)
})
