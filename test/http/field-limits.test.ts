import { expect, test } from 'vitest'
import { invalid, required, told } from '../support/permissions.ts'
import { call, group, house, uniqueName, user } from '../support/world.ts'

// The ends of what fields take (docs/api.md#limits), where the tests of their routes do not show them.

const [ann, ben] = [await user(), await user()]
const den = await house({ owner: ann })
const gang = await group(ann, ben)
const [at, inRoom] = [`/houses/${den.id}`, `/rooms/${den.room_id}`]

function register(secret: unknown) {
  const username = uniqueName('limits')
  const body = { email: `${username}@example.org`, username, password: secret }
  return call(null, 'POST', '/auth/register', body)
}

type Ask = (value: unknown) => ReturnType<typeof call>
type Field = { field: string; of: string; ask: Ask; refused: typeof invalid }

const post = (path: string, body: (value: unknown) => object) => (value: unknown) =>
  call(ann, 'POST', path, body(value))
const patch = (path: string, field: string) => (value: unknown) =>
  call(ann, 'PATCH', path, { [field]: value })
const get = (path: string, field: string) => (value: unknown) =>
  call(ann, 'GET', `${path}?${field}=${encodeURIComponent(String(value))}`)
const name = (value: unknown) => ({ name: value })

const texts: (Field & { longest: number; shortest?: number })[] = [
  { of: 'a room', field: 'name', longest: 64, ask: post(`${at}/rooms`, name), refused: required },
  { of: 'an edited room', field: 'name', longest: 64, ask: patch(inRoom, 'name'), refused: invalid },
  { of: 'a group', field: 'name', longest: 64, ask: patch(`/rooms/${gang}`, 'name'), refused: invalid },
  {
    of: 'a new group',
    field: 'name',
    longest: 64,
    ask: post('/users/@me/rooms', (value) => ({ recipients: [ben.id], name: value })),
    refused: invalid,
  },
  { of: 'an entity', field: 'name', longest: 64, ask: post(`${at}/entities`, name), refused: required },
  { of: 'a role', field: 'name', longest: 64, ask: post(`${at}/roles`, name), refused: required },
  {
    of: 'a house',
    field: 'description',
    longest: 512,
    ask: post('/houses', (description) => ({ name: 'Den', description })),
    refused: invalid,
  },
  { of: 'a room', field: 'description', longest: 512, ask: patch(inRoom, 'description'), refused: invalid },
  {
    of: 'a ban',
    field: 'reason',
    longest: 512,
    ask: (reason) => call(ann, 'PUT', `${at}/bans/${ben.id}`, { reason }),
    refused: invalid,
  },
  { of: 'a room', field: 'emoji', longest: 64, ask: patch(inRoom, 'emoji'), refused: invalid },
  {
    of: 'a message',
    field: 'nonce',
    longest: 64,
    ask: post(`${inRoom}/messages`, (nonce) => ({ content: 'x', nonce })),
    refused: invalid,
  },
  { of: 'a search', field: 'q', longest: 200, ask: get(`${at}/messages/search`, 'q'), refused: required },
  { of: 'an account', field: 'password', longest: 256, shortest: 8, ask: register, refused: required },
]

/** Rockets; a password has parts that do not repeat. */
function rockets(length: number, { field }: Field): string {
  if (field !== 'password') return '🚀'.repeat(length)
  return Array.from({ length }, (_, at) => String.fromCodePoint(0x1f680 + ((at * at) % 53))).join('')
}

test.each(texts)('the $field of $of has $longest code points at most', async (row) => {
  const { field, shortest, longest, ask, refused } = row
  // Each is two code units.
  const sent = (length: number) => ask(rockets(length, row))
  for (const length of [shortest ?? longest, longest]) {
    expect([length, (await sent(length)).status]).toEqual([length, 200])
  }
  for (const length of [...(shortest === undefined ? [] : [shortest - 1]), longest + 1]) {
    expect([length, ...told(await sent(length))]).toEqual([length, 400, refused(field)])
  }
})

const exploding = (exploding_age: unknown) => ({ content: 'x', exploding: true, exploding_age })
const numbers: (Field & { least: number; most: number })[] = [
  {
    of: 'a message',
    field: 'exploding_age',
    least: 5,
    most: 604_800,
    ask: post(`${inRoom}/messages`, exploding),
    refused: required,
  },
  {
    of: 'a role',
    field: 'position',
    least: 0,
    most: 1_000,
    ask: post(`${at}/roles`, (position) => ({ name: 'x', position })),
    refused: invalid,
  },
  {
    of: 'a page',
    field: 'limit',
    least: 1,
    most: 100,
    ask: get(`${inRoom}/messages`, 'limit'),
    refused: invalid,
  },
  {
    of: 'a search',
    field: 'limit',
    least: 1,
    most: 100,
    ask: (limit) => call(ann, 'GET', `${at}/messages/search?q=x&limit=${limit}`),
    refused: invalid,
  },
  {
    of: 'members',
    field: 'limit',
    least: 1,
    most: 1_000,
    ask: get(`${at}/members`, 'limit'),
    refused: invalid,
  },
  {
    of: 'an invite',
    field: 'max_uses',
    least: 0,
    most: 1_000,
    ask: post(`${at}/invites`, (max_uses) => ({ max_uses })),
    refused: invalid,
  },
  {
    of: 'an invite',
    field: 'max_age',
    least: 0,
    most: 31_536_000,
    ask: post(`${at}/invites`, (max_age) => ({ max_age })),
    refused: invalid,
  },
  {
    of: 'a house',
    field: 'default_permissions',
    least: 0,
    most: 1_048_575,
    ask: (default_permissions) => call(ann, 'PATCH', at, { name: 'Den', default_permissions }),
    refused: invalid,
  },
]

test.each(numbers)('the $field of $of is $least to $most', async ({ field, least, most, ask, refused }) => {
  for (const value of [least, most]) expect([value, (await ask(value)).status]).toEqual([value, 200])
  for (const value of [least - 1, most + 1]) {
    expect([value, ...told(await ask(value))]).toEqual([value, 400, refused(field)])
  }
})
