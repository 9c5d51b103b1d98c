import { expect, test } from 'vitest'
import { invalid, required } from '../../support/permissions.ts'
import { call, failure, noAuth, user } from '../../support/world.ts'

// What a path names is nowhere here, and no field is of its type: what is answered shows which check comes first, and
// the names of the fields their order in the contract.

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Route = [route: string, refusal: object, fields: string[]]

/** Routes whose fields are refused with the required ones among them, and with all where none is required. */
const requires = (route: string, needed: string[], optional: string[] = []): Route => {
  return [route, required(...needed), [...needed, ...optional]]
}
const takes = (route: string, ...fields: string[]): Route => [route, invalid(...fields), fields]

const profile = ['location', 'username', 'website', 'bio', 'header', 'icon', 'name']
const routes: Route[] = [
  takes('PATCH /users/@me', ...profile),
  requires('DELETE /users/@me', ['password']),
  requires('POST /auth/register', ['email', 'username', 'password'], ['name']),
  requires('POST /auth/login', ['login', 'password'], ['code']),
  requires('POST /auth/verify-email', ['code']),
  requires('POST /auth/forgot-password', ['email']),
  requires('POST /auth/reset-password', ['code', 'password']),
  requires('PATCH /users/@me/password', ['current', 'new']),
  requires('POST /users/@me/mfa/totp', ['password']),
  requires('POST /users/@me/mfa/totp/enable', ['code']),
  takes('DELETE /users/@me/mfa/totp', 'code', 'password'),
  requires('POST /bots', ['username', 'name']),
  takes('PATCH /bots/1', ...profile, 'public'),
  requires('POST /houses/1/bots', ['bot_id']),
  takes('POST /users/@me/rooms', 'recipient', 'recipients', 'name'),
  requires('POST /relationships/@me/friend-requests', ['user_id']),
  requires('POST /houses', ['name'], ['icon', 'description']),
  requires('PATCH /houses/1', ['name'], ['icon', 'description', 'default_permissions']),
  requires('PATCH /houses/1/owner', ['user_id']),
  takes('PUT /houses/1/bans/1', 'reason'),
  requires('POST /houses/1/roles', ['name'], ['color', 'position', 'allow', 'deny']),
  takes('PATCH /houses/1/roles/1', 'name', 'color', 'position', 'allow', 'deny'),
  requires('POST /houses/1/entities', ['name'], ['type']),
  takes('PATCH /houses/1/entities/1', 'name', 'position', 'resource_pointers', 'type'),
  requires('POST /houses/1/rooms', ['name'], ['parent_entity_id', 'description', 'emoji']),
  takes('PATCH /rooms/1', 'name', 'description', 'emoji', 'position', 'parent_entity_id'),
  requires('PATCH /rooms/1/default-permissions', ['allow', 'deny']),
  requires('PUT /rooms/1/overrides/1', ['type', 'allow', 'deny']),
  requires('POST /rooms/1/messages', ['content'], ['nonce', 'exploding', 'exploding_age']),
  requires('PATCH /rooms/1/messages/1', ['content']),
  requires('POST /rooms/1/messages/1', ['content']),
  takes('POST /houses/1/invites', 'max_uses', 'max_age'),
  takes('PATCH /users/@me/settings', 'theme', 'enable_desktop_notifications', 'onboarded'),
  requires('PUT /users/@me/settings/room_overrides/1', ['notification_preference']),
]
const maxBytes = 256 * 1024
const maxBytesWithPictures = 12 * 1024 * 1024
const takingPictures = ['POST /houses', 'PATCH /houses/1', 'PATCH /users/@me', 'PATCH /bots/1']

const ann = await user()
const json = { 'content-type': 'application/json' }
const plain = { 'content-type': 'text/plain' }

test.each(routes)(
  '%s refuses fields of wrong types by name, before it looks for what the path names',
  async (route, refusal, fields) => {
    const [method, url] = route.split(' ') as [Method, string]
    const wrong = Object.fromEntries(fields.map((name) => [name, {}]).reverse())
    const answer = await call(ann, method, url, { ...wrong, unknown: 5 })
    expect([answer.status, answer.body]).toEqual([400, refusal])
  },
)

test.each(routes)(
  '%s looks at the token, then at the size of the body, then at its type, then at its fields',
  async (route, refusal, fields) => {
    const [method, url] = route.split(' ') as [Method, string]
    const limit = takingPictures.includes(route) ? maxBytesWithPictures : maxBytes
    const tooLong = { payload: 'x'.repeat(limit + 1), headers: plain }
    if (!url.startsWith('/auth/')) {
      const stranger = await call(null, method, url, undefined, tooLong)
      expect([stranger.status, stranger.body]).toEqual([400, noAuth])
    }
    const long = await call(ann, method, url, undefined, tooLong)
    expect([long.status, long.body]).toEqual([413, failure('payload_too_large', 'The request is too large')])
    const ofType = await call(ann, method, url, undefined, { payload: '{', headers: plain })
    expect([ofType.status, ofType.body]).toEqual([
      415,
      failure('internal_server_error', 'Something went wrong internally'),
    ])
    const broken = await call(ann, method, url, undefined, { payload: '{', headers: json })
    expect([broken.status, broken.body]).toEqual([400, failure('invalid_schema', 'JSON body is malformed')])
    // The longest that is read: it is judged by its fields.
    const wrong = Object.fromEntries(fields.map((name) => [name, {}]))
    const head = JSON.stringify({ ...wrong, padding: '' }).slice(0, -2)
    const most = { payload: `${head}${'x'.repeat(limit - head.length - 2)}"}`, headers: json }
    const judged = await call(ann, method, url, undefined, most)
    expect([judged.status, judged.body]).toEqual([400, refusal])
  },
)
