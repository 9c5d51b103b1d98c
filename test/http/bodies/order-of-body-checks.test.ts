import { expect, test } from 'vitest'
import { documentedRoutes } from '../../support/documented-routes.ts'
import { invalid, required } from '../../support/permissions.ts'
import { admin, call, failure, noAuth, user } from '../../support/world.ts'

// What a path names is nowhere here, and no field is of its type: what is answered shows which check comes first, and
// the names of the fields their order in docs/api.md.

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** They take bodies of other types, too. */
const ofManyTypes = ['POST /rooms/{id}/media_messages', 'POST /webhooks/{webhook_id}/{token}']
const withBodies = documentedRoutes.filter(
  ({ route, input }) => !route.startsWith('GET') && input !== '' && !ofManyTypes.includes(route),
)
const kib = 1024

const routes = withBodies.map(({ route, token, input }) => {
  const [method, path] = route.split(' ') as [Method, string]
  const fields = [...input.matchAll(/`(\w+)(\??)`/g)]
  const names = fields.map(([, name]) => name!)
  // A body without it acks the message.
  const isAllNeeded = route === 'POST /rooms/{id}/messages/{message_id}'
  const needed = names.filter((_, place) => isAllNeeded || fields[place]![2] === '')
  return {
    route,
    method,
    url: path.replaceAll(/\{\w+\}/g, '1'),
    isOpen: token === 'no',
    names,
    refusal: needed.length > 0 ? required(...needed) : invalid(...names),
    maxBytes: / picture\b/.test(input) ? 12 * kib * kib : 256 * kib,
  }
})

const [ann, ruler] = [await user(), await admin()]
const callerOf = (url: string) => (url.startsWith('/admin/') ? ruler : ann)
const json = { 'content-type': 'application/json' }
const plain = { 'content-type': 'text/plain' }

test.each(routes)(
  '$route refuses fields of wrong types by name, before it looks for what the path names',
  async ({ method, url, names, refusal }) => {
    const wrong = Object.fromEntries(names.map((name) => [name, {}]).reverse())
    const answer = await call(callerOf(url), method, url, { ...wrong, unknown: 5 })
    expect([answer.status, answer.body]).toEqual([400, refusal])
  },
)

test.each(routes)(
  '$route looks at the token, then at the size of the body, then at its type, then at its fields',
  async ({ method, url, isOpen, maxBytes }) => {
    const send = (caller: typeof ann | null, payload: string, headers: object) =>
      call(caller, method, url, undefined, { payload, headers: { ...headers } })
    const tooLong = 'x'.repeat(maxBytes + 1)
    if (!isOpen) {
      const stranger = await send(null, tooLong, plain)
      const isForAdmins = url.startsWith('/admin/')
      expect([stranger.status, stranger.body]).toEqual(
        isForAdmins ? [404, failure('not_found', 'Not found')] : [400, noAuth],
      )
    }
    const caller = callerOf(url)
    const long = await send(caller, tooLong, plain)
    expect([long.status, long.body]).toEqual([413, failure('payload_too_large', 'The request is too large')])
    const ofType = await send(caller, '{', plain)
    expect([ofType.status, ofType.body]).toEqual([
      415,
      failure('internal_server_error', 'Something went wrong internally'),
    ])
    const broken = await send(caller, '{', json)
    expect([broken.status, broken.body]).toEqual([400, failure('invalid_schema', 'JSON body is malformed')])
  },
)
