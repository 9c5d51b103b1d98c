import { describe, expect, test } from 'vitest'
import { documentedRoutes } from '../support/documented-routes.ts'
import { needsToken } from '../support/security.ts'
import { type Answer, admin, app, call, failure, noAuth, type Person, user } from '../support/world.ts'

// Walks every route of the API document as clients of all kinds call it. What a path names is nowhere, so that a route
// answers what it answers after its body was read.

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Operation = { security: object[]; requestBody?: { content: Record<string, object> } }
type Route = { method: Method; path: string; operation: Operation; name: string }

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const malformed = { status: 400, body: failure('invalid_schema', 'JSON body is malformed') }
const wrongType = { status: 415, body: failure('internal_server_error', 'Something went wrong internally') }

const routes: Route[] = Object.entries(app.swagger().paths ?? {}).flatMap(([path, operations]) =>
  Object.entries(operations as Record<string, Operation>).map(([verb, operation]) => {
    const method = verb.toUpperCase() as Method
    return { method, path, operation, name: `${method} ${path}` }
  }),
)
const isMedia = ({ path }: Route) => path.endsWith('/media_messages')
const takesBody = (route: Route) => route.operation.requestBody !== undefined
const hasCaller = (route: Route) => needsToken(route.operation.security)
/** Those whose bodies are read, whether they have a use for them or not. */
const reading = routes.filter((route) => {
  return !isMedia(route) && (['POST', 'PUT', 'PATCH'].includes(route.method) || takesBody(route))
})
/** Routes that read a body and discard it. */
const forgetting = routes.filter((route) => route.method === 'DELETE' && !takesBody(route))

const kib = 1024
/** Routes whose bodies may contain pictures. */
const withPictures = documentedRoutes
  .filter(({ input }) => / picture\b/.test(input))
  .map(({ route }) => route)
/** It also takes forms and multipart bodies. */
const isWebhook = ({ path }: Route) => path.startsWith('/webhooks/')

/** A JSON object of so many bytes, with an unknown field. */
function padded(bytes: number): Sent {
  const frame = JSON.stringify({ padding: '' })
  return { type: json, payload: JSON.stringify({ padding: 'x'.repeat(bytes - frame.length) }) }
}

/** The path with something in place of each parameter. */
function at({ path }: Route, id = '1'): string {
  return path.replace(/\{([a-z_]+)\}/g, (_whole, name: string) =>
    /^(?:id|.*_id)$/.test(name) ? id : 'nobody1',
  )
}

/** What the addresses of a route look like. */
function patternOf({ path }: Route): RegExp {
  return new RegExp(`^${path.replace(/\{[a-z_]+\}/g, '[^/]+')}$`)
}

type Sent = { type?: string; payload?: string | Buffer; encoding?: string }

function send(caller: Person | null, { method }: Route, url: string, sent: Sent = {}, more: object = {}) {
  const { type, payload, encoding } = sent
  const headers = {
    ...(type !== undefined && { 'content-type': type }),
    ...(encoding !== undefined && { 'content-encoding': encoding }),
    ...more,
  }
  return call(caller, method, url, undefined, { ...(payload !== undefined && { payload }), headers })
}

/** Status and code: what comes with a success differs from call to call. */
function gist({ status, body }: Answer) {
  return { status, ...(body?.error && { error: body.error }) }
}

const anybody = await user()
const anyAdmin = await admin()
const isForAdmins = ({ path }: Route) => path.startsWith('/admin/')
/** To whom is no admin, these routes are no routes. */
const notFound = { status: 404, body: failure('not_found', 'Not found') }

/** Somebody new where the token ends with the request. */
async function caller(route: Route): Promise<Person | null> {
  if (!hasCaller(route)) return null
  if (isForAdmins(route)) return anyAdmin
  return route.path === '/auth/logout' ? await user() : anybody
}

const emptyBodies: [string, Sent][] = [
  ['nothing', {}],
  ['nothing, with an empty type', { type: '' }],
  ['nothing, as JSON', { type: json, payload: '' }],
  ['white space', { type: json, payload: ' \r\n' }],
  ['null', { type: json, payload: 'null' }],
  ['{} with parameters', { type: 'Application/JSON; charset=UTF-8', payload: '{}' }],
  ['an empty form', { type: form, payload: '' }],
]

const refused: [string, Sent, object][] = [
  ['a list', { type: json, payload: '[]' }, malformed],
  ['text', { type: json, payload: '"x"' }, malformed],
  ['a number', { type: json, payload: '5' }, malformed],
  ['half an object', { type: json, payload: '{' }, malformed],
  ['a form with fields', { type: form, payload: 'a=b' }, wrongType],
  ['plain text', { type: 'text/plain', payload: '{}' }, wrongType],
  ['empty plain text', { type: 'text/plain', payload: '' }, wrongType],
  ['multipart', { type: 'multipart/form-data; boundary=x', payload: '--x--\r\n' }, wrongType],
  ['a type that is none', { type: 'nonsense', payload: '{}' }, wrongType],
  ['no type', { payload: '{}' }, wrongType],
  ['an empty type', { type: '', payload: '{}' }, wrongType],
  ['compressed JSON', { type: json, payload: '{}', encoding: 'gzip' }, wrongType],
]

describe('bodies', () => {
  test.each(reading.map((route) => [route.name, route] as const))(
    '%s takes nothing in all its forms as {}',
    async (_name, route) => {
      const usual = gist(await send(await caller(route), route, at(route), { type: json, payload: '{}' }))
      for (const [what, sent] of emptyBodies) {
        expect([what, gist(await send(await caller(route), route, at(route), sent))]).toEqual([what, usual])
      }
    },
  )

  test.each(reading.map((route) => [route.name, route] as const))(
    '%s refuses what is no JSON object',
    async (_name, route) => {
      const person = await caller(route)
      for (const [what, sent, answer] of refused) {
        if (isWebhook(route) && /^a form|^multipart|^empty plain/.test(what)) continue
        const { status, body } = await send(person, route, at(route), sent)
        const isToldInWords = isWebhook(route) && !/^compressed|is none$/.test(what)
        expect([what, { status, body }]).toEqual([what, isToldInWords ? malformed : answer])
      }
    },
  )

  test.each(reading.map((route) => [route.name, route] as const))(
    '%s takes a body of 256 KiB, of 12 MiB with pictures or 4 MiB from other services, and no larger one',
    async (name, route) => {
      const bytes = withPictures.includes(name) ? 12 * kib * kib : (isWebhook(route) ? 4 * kib : 256) * kib
      const usual = gist(await send(await caller(route), route, at(route), padded(30)))
      expect(gist(await send(await caller(route), route, at(route), padded(bytes)))).toEqual(usual)
      const { status, body } = await send(await caller(route), route, at(route), padded(bytes + 1))
      expect([status, body]).toEqual([413, failure('payload_too_large', 'The request is too large')])
    },
  )

  test.each(forgetting.map((route) => [route.name, route] as const))(
    '%s does not care for a body',
    async (_name, route) => {
      const usual = gist(await send(await caller(route), route, at(route)))
      for (const [what, sent] of [...emptyBodies, ...refused]) {
        expect([what, gist(await send(await caller(route), route, at(route), sent))]).toEqual([what, usual])
      }
    },
  )

  test.each(routes.filter(({ method }) => method === 'GET').map((route) => [route.name, route] as const))(
    '%s does not care for a body',
    async (_name, route) => {
      const person = await caller(route)
      const usual = gist(await send(person, route, at(route)))
      for (const [what, sent] of [...emptyBodies, ...refused]) {
        expect([what, gist(await send(person, route, at(route), sent))]).toEqual([what, usual])
      }
    },
  )
})

describe('tokens', () => {
  test.each(routes.filter(hasCaller).map((route) => [route.name, route] as const))(
    '%s asks for one before anything else, in any form',
    async (_name, route) => {
      const sent: Sent = isMedia(route) ? {} : { type: 'text/plain', payload: '[' }
      for (const authorization of [
        undefined,
        '',
        'x',
        'Bot',
        'Bearer ',
        'f'.repeat(128),
        `Basic ${'f'.repeat(128)}`,
      ]) {
        const more = authorization === undefined ? {} : { authorization }
        const { status, body } = await send(null, route, at(route), sent, more)
        const refusal = isForAdmins(route) ? notFound : { status: 400, body: noAuth }
        expect([authorization, { status, body }]).toEqual([authorization, refusal])
      }
      const usual = gist(await send(await caller(route), route, at(route)))
      for (const prefix of ['Bot ', 'Bearer ', 'bot ', 'BEARER  ']) {
        const { token } = isForAdmins(route) ? await admin() : await user()
        const answer = await send(null, route, at(route), {}, { authorization: prefix + token })
        expect([prefix, gist(answer)]).toEqual([prefix, usual])
      }
    },
  )
})

describe('paths', () => {
  test.each(routes.map((route) => [route.name, route] as const))(
    '%s is served at the root and under /v1, with a slash and without',
    async (_name, route) => {
      const usual = gist(await send(await caller(route), route, at(route)))
      for (const url of [
        `/v1${at(route)}`,
        `${at(route)}/`,
        `/v1${at(route)}/`,
        `${at(route)}?unknown=1&unknown=2`,
      ]) {
        expect([url, gist(await send(await caller(route), route, url))]).toEqual([url, usual])
      }
      expect((await send(await caller(route), route, at(route).toUpperCase())).status).toBe(404)
    },
  )

  // Of one route the address is no route at all where its ids are no digits.
  const withIds = routes.filter(
    ({ path }) => /\/[a-z].*\{(?:id|[a-z_]+_id)\}/.test(path) && !path.startsWith('/{'),
  )
  test.each(withIds.map((route) => [route.name, route] as const))(
    '%s takes what is no id for one that nobody has',
    async (_name, route) => {
      const usual = gist(await send(await caller(route), route, at(route)))
      for (const id of [
        '0',
        '01',
        '-1',
        '+1',
        '1.0',
        '1e3',
        '0x1',
        'ABC',
        'null',
        '%20',
        '%00',
        '9223372036854775808',
        '9'.repeat(40),
        '%D9%A1',
        '@me1',
      ]) {
        const answer = await send(await caller(route), route, at(route, id))
        expect([id, gist(answer)]).toEqual([id, usual])
      }
    },
  )

  test.each(routes.filter(({ method }) => method === 'GET').map((route) => [route.name, route] as const))(
    '%s answers HEAD as GET, without the body',
    async (_name, route) => {
      const person = await caller(route)
      const get = await call(person, 'GET', at(route))
      const head = await call(person, 'HEAD', at(route))
      expect([head.status, head.text, head.headers['content-type']]).toEqual([
        get.status,
        '',
        get.headers['content-type'],
      ])
    },
  )

  test.each([...new Set(routes.map((route) => at(route)))])(
    '%s answers OPTIONS, and not_found for methods it lacks',
    async (url) => {
      const answer = await call(null, 'OPTIONS', url)
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined])
      const served = new Set(routes.filter((route) => patternOf(route).test(url)).map(({ method }) => method))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        if (served.has(method)) continue
        const { status, body } = await call(anybody, method, url)
        expect([method, { status, body }]).toEqual([
          method,
          { status: 404, body: failure('not_found', 'Not found') },
        ])
      }
    },
  )
})
