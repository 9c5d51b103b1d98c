import fc from 'fast-check'
import { anyBody, multipartBody, refusedBody } from './bodies.ts'
import type { Operation } from './operations.ts'
import { hostileQuery, hostileSegment, hostileString, placeholder } from './values.ts'

type CallerKind = 'nobody' | 'faulty' | 'member' | 'owner'

/** A request as it will be rendered for a scene. */
export type Hostile = {
  operation: string
  caller: CallerKind
  method: string
  path: string
  query: string
  headers: [string, string][]
  contentType: string | null
  body: string | null
}

const json = 'application/json'
const oddTypes = [
  'application/json; charset=utf-16',
  'application/json;',
  'APPLICATION/JSON',
  'application/jsonx',
  'text/plain',
  'text/html',
  '',
  ';',
  'json',
  'a/b/c',
  '*/*',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=fire',
  'multipart/form-data; boundary="a',
  'application/xml',
  `application/json; x=${'y'.repeat(3_000)}`,
  'application/json, text/plain',
  '\u00e9',
  'image/png',
  'application/vnd.api+json',
]

const oddHeaders: [string, string][] = [
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity'],
  ['Content-Encoding', 'br, identity'],
  ['Accept', 'x'],
  ['Accept-Encoding', 'gzip, *;q=0'],
  ['Range', 'bytes=0-0'],
  ['Range', 'bytes=-1'],
  ['Range', 'bytes=9-1,2-'],
  ['Range', 'bytes=99999999999999999999-'],
  ['If-None-Match', '*'],
  ['If-None-Match', `"${'a'.repeat(4_000)}"`],
  ['If-Modified-Since', 'never'],
  ['X-Forwarded-For', '::1, 1.2.3.4, x'],
  ['X-Forwarded-Host', 'evil'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Origin', 'null'],
  ['Access-Control-Request-Method', 'DELETE'],
  ['Access-Control-Request-Headers', 'a,b'],
  ['Cookie', 'a=b; '.repeat(300)],
  ['Connection', 'keep-alive, x'],
  ['__proto__', 'x'],
  ['Forwarded', 'for="_x"'],
  ['X-Long', 'x'.repeat(8_000)],
  ['User-Agent', ''],
  ['User-Agent', '\u00ff\u00fe'],
  ['TE', 'trailers'],
  ['Date', '0'],
  ['Expect', '100-continue'],
  ['X-Request-Id', '{"a":1}'],
  ['Request-Id', '{jndi:x}'],
  ['Sec-WebSocket-Key', 'x'],
  ['Authorization', 'Bearer second'],
]
const oddMethods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'LINK',
  'QUERY',
  'M-SEARCH',
  'PURGE',
  'MKCOL',
]

/** The placeholder of an id in a path, by the resource before it. */
const suitingIds: Record<string, string[]> = {
  houses: ['house', 'house', 'foreign_house'],
  rooms: ['room', 'room', 'group', 'pair', 'foreign_room'],
  messages: ['message', 'foreign_message'],
  members: ['member', 'owner', 'stranger'],
  roles: ['role'],
  entities: ['entity'],
  bans: ['member', 'stranger', 'banned'],
  bots: ['bot'],
  users: ['member', 'owner', 'username'],
  sessions: ['session'],
  recipients: ['member', 'friend', 'stranger'],
  overrides: ['role', 'member'],
  invites: ['invite'],
  icons: ['icon'],
  headers: ['icon'],
  attachments: ['room'],
  room_overrides: ['room', 'group'],
  relationships: ['friend'],
}
const anyone = ['friend', 'stranger', 'member', 'owner']

/** The path of an operation with something in place of each parameter; `first` decides about the first one. */
function pathOf(
  operation: Operation,
  first: (suiting: fc.Arbitrary<string>) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const segments = operation.path.split('/')
  let isFirst = true
  const parts = segments.map((segment, index): fc.Arbitrary<string> => {
    if (!segment.startsWith('{')) return fc.constant(segment)
    const names = suitingIds[segments[index - 1]!] ?? anyone
    const suiting = fc.constantFrom(...names.map(placeholder))
    const chosen = isFirst
      ? first(suiting)
      : fc.oneof({ weight: 4, arbitrary: suiting }, { weight: 2, arbitrary: hostileSegment })
    isFirst = false
    return chosen
  })
  return fc.tuple(...parts).map((each) => each.join('/'))
}

const prefixed = (path: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.oneof({ weight: 12, arbitrary: fc.constantFrom('', '/v1') }, fc.constantFrom('/v1/v1', '/', '/v2')),
      path,
      fc.oneof({ weight: 12, arbitrary: fc.constant('') }, fc.constantFrom('/', '//', '%20', ';x')),
    )
    .map((parts) => parts.join(''))

const fewOddHeaders = fc.oneof(
  { weight: 7, arbitrary: fc.constant<[string, string][]>([]) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...oddHeaders), { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: hostileString.map((text): [string, string][] => [
      ['X-Odd', text.replace(/\p{Cc}/gu, '').slice(0, 4_000)],
    ]),
  },
)

type Choice = Omit<Hostile, 'operation' | 'query'>

function hostile(
  operation: Operation,
  choice: { [Name in keyof Choice]: fc.Arbitrary<Choice[Name]> },
): fc.Arbitrary<Hostile> {
  return fc.record({
    ...choice,
    query: hostileQuery(operation.queryParameters),
    operation: fc.constant(`${operation.method} ${operation.path}`),
  })
}

const strangers: CallerKind[] = ['nobody', 'faulty']
const insiders: CallerKind[] = ['member', 'owner']

function bodyOf(operation: Operation): fc.Arbitrary<string | null> {
  if (operation.takesMultipart) return multipartBody
  if (operation.body) return anyBody(operation.body)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('', '{}', 'null', '{', 'x'.repeat(300_000)) },
  )
}

const typeOf = (operation: Operation) =>
  operation.takesMultipart ? 'multipart/form-data; boundary=fire' : json

/** Requests to an operation that may succeed or not. */
export function anyRequest(operation: Operation): fc.Arbitrary<Hostile> {
  const mostlySuiting = (suiting: fc.Arbitrary<string>) =>
    fc.oneof({ weight: 8, arbitrary: suiting }, { weight: 1, arbitrary: hostileSegment })
  return hostile(operation, {
    caller: fc.constantFrom<CallerKind>('owner', 'owner', 'owner', 'member', 'member', 'nobody', 'faulty'),
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(operation.method) },
      { weight: 1, arbitrary: fc.constantFrom(...oddMethods) },
    ),
    path: prefixed(pathOf(operation, mostlySuiting)),
    headers: fewOddHeaders,
    contentType: fc.oneof(
      { weight: 8, arbitrary: fc.constant(typeOf(operation)) },
      { weight: 1, arbitrary: fc.constantFrom(null, ...oddTypes) },
    ),
    body: bodyOf(operation),
  })
}

/** They answer an id that names nothing as one that is gone by now: with 200, and change nothing. */
const anyIdSuits = new Set(['DELETE /users/@me/push-subscriptions/{id}'])

/** Requests to an operation that it has to refuse, whatever they change; reading ones may succeed. */
export function refusedRequest(operation: Operation): fc.Arbitrary<Hostile> {
  const usual = {
    caller: fc.constantFrom<CallerKind>(...insiders, ...insiders, ...strangers),
    method: fc.constant(operation.method),
    path: prefixed(pathOf(operation, (suiting) => suiting)),
    headers: fewOddHeaders,
    contentType: fc.oneof(
      { weight: 12, arbitrary: fc.constant<string | null>(typeOf(operation)) },
      { weight: 1, arbitrary: fc.constantFrom(null, ...oddTypes) },
    ),
    body: bodyOf(operation),
  }
  const ways: fc.Arbitrary<Hostile>[] = []
  if (operation.method === 'GET')
    ways.push(hostile(operation, { ...usual, method: fc.constantFrom('GET', 'HEAD') }))
  if (operation.needsCaller)
    ways.push(hostile(operation, { ...usual, caller: fc.constantFrom(...strangers) }))
  const isRefusedByPath =
    operation.pathParameters.length > 0 && !anyIdSuits.has(`${operation.method} ${operation.path}`)
  if (isRefusedByPath)
    ways.push(hostile(operation, { ...usual, path: prefixed(pathOf(operation, () => hostileSegment)) }))
  if (operation.body) {
    const contentType = fc.constant(json)
    const body = refusedBody(operation.body)
    const refused = hostile(operation, { ...usual, contentType, body })
    ways.push(
      refused,
      refused,
      refused,
      hostile(operation, {
        ...usual,
        contentType: fc.constantFrom('text/plain', 'application/jsonx', 'multipart/form-data; boundary=fire'),
        body: fc.constant('{"name":"x"}'),
      }),
    )
  }
  if (ways.length === 0) ways.push(hostile(operation, { ...usual, caller: fc.constantFrom(...strangers) }))
  return fc.oneof(...ways)
}
