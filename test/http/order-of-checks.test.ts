import { describe, expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { crowd } from '../support/crowds.ts'
import { fillMemberships } from '../support/houses.ts'
import { filePart, multipart } from '../support/multipart.ts'
import { moderatedHouse } from '../support/permissions.ts'
import { inviteBy } from '../support/scenes.ts'
import { needsToken } from '../support/security.ts'
import { admin, app, block, call, db, group, house, message, type Person, user } from '../support/world.ts'

// Where two things are wrong with a request, the check that comes first answers (docs/api.md#order-of-checks):
// fields, then what path and body name, then permission, then pictures, then how things stand.
// http/order-of-body-checks.test.ts has what comes before: token, size, type and fields of a body.

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Operation = { security: object[]; parameters?: { name: string; in: string }[] }

const operations = Object.entries(app.swagger().paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([verb, operation]) => {
    const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
    return {
      name: `${verb.toUpperCase()} ${path}`,
      method: verb.toUpperCase() as Method,
      // Everything in it is nowhere.
      url: path.replaceAll(/\{[a-z_]+\}/g, '1'),
      hasCaller: needsToken(operation.security),
      queries: queries.map(({ name }) => name),
    }
  }),
)

/** Status and code of a failure, as docs/errors.md pairs them. */
async function refusal(asking: ReturnType<typeof call>): Promise<string> {
  const { status, body } = await asking
  return `${status} ${body?.error?.code}`
}

// The key of an attachment is no field: a wrong one is that of another file.
test.each(operations.filter(({ hasCaller, queries }) => hasCaller && queries.length > 0))(
  '$name looks at its query before it looks for what the path names',
  async ({ method, url, queries }) => {
    const query = queries.map((name) => `${name}=%00`).join('&')
    // The type of a body comes before.
    const body = url.endsWith('/media_messages') ? multipart(filePart('x')) : {}
    const caller = url.startsWith('/admin/') ? await admin() : await user()
    const asking = call(caller, method, `${url}?${query}`, undefined, body)
    expect(await refusal(asking)).toBe('400 invalid_schema')
  },
)

test('what path and body name comes before the permission of a member', async () => {
  const den = await moderatedHouse(0)
  const { id, member, room_id, entity_id, moderator_role_id } = den
  const gang = await group(den.owner, member)
  const said = await message(room_id, den.owner)
  const bot = await user({ bot_of: member })
  const bits = { allow: 1, deny: 0 }
  const at = `/houses/${id}`
  // Of each, one that is there and one that is not.
  const rows: [Method, (name: string) => string, string, string, ((name: string) => object)?][] = [
    ['PATCH', () => `${at}/owner`, member.id, '404 member_not_found', (user_id) => ({ user_id })],
    ['DELETE', (name) => `${at}/members/${name}`, den.moderator.id, '404 member_not_found'],
    ['PUT', (name) => `${at}/bans/${name}`, den.moderator.id, '400 user_not_found'],
    [
      'PATCH',
      (name) => `${at}/roles/${name}`,
      moderator_role_id,
      '404 role_not_found',
      () => ({ name: 'x' }),
    ],
    ['DELETE', (name) => `${at}/roles/${name}`, moderator_role_id, '404 role_not_found'],
    ['PUT', (name) => `${at}/members/${member.id}/roles/${name}`, moderator_role_id, '404 role_not_found'],
    ['DELETE', (name) => `${at}/members/${member.id}/roles/${name}`, moderator_role_id, '404 role_not_found'],
    ['PUT', (name) => `${at}/members/${name}/roles/1`, '1', '404 member_not_found'],
    ['POST', () => `${at}/bots`, bot.id, '404 bot_not_found', (bot_id) => ({ bot_id })],
    ['PATCH', (name) => `${at}/entities/${name}`, entity_id, '404 entity_not_found', () => ({ name: 'x' })],
    ['DELETE', (name) => `${at}/entities/${name}`, entity_id, '404 entity_not_found'],
    [
      'POST',
      () => `${at}/rooms`,
      entity_id,
      '400 parent_entity_doesnt_exist',
      (parent_entity_id) => ({ name: 'x', parent_entity_id }),
    ],
    [
      'PATCH',
      () => `/rooms/${room_id}`,
      entity_id,
      '400 parent_entity_doesnt_exist',
      (parent_entity_id) => ({ parent_entity_id }),
    ],
    [
      'PUT',
      (name) => `/rooms/${room_id}/overrides/${name}`,
      moderator_role_id,
      '404 role_not_found',
      () => ({ type: 0, ...bits }),
    ],
    [
      'PUT',
      (name) => `/rooms/${room_id}/overrides/${name}`,
      member.id,
      '404 member_not_found',
      () => ({ type: 1, ...bits }),
    ],
    [
      'PATCH',
      (name) => `/rooms/${room_id}/messages/${name}`,
      said,
      '404 message_not_found',
      () => ({ content: 'x' }),
    ],
    ['DELETE', (name) => `/rooms/${room_id}/messages/${name}`, said, '404 message_not_found'],
    ['DELETE', (name) => `/rooms/${gang}/recipients/${name}`, den.owner.id, '404 member_not_found'],
  ]
  for (const [method, path, there, missing, body = () => ({})] of rows) {
    const told = (name: string) => refusal(call(member, method, path(name), body(name)))
    const [withIt, without] = [await told(there), await told('1')]
    const expected = there === '1' ? missing : '400 no_permission'
    expect([method, path('…'), withIt, without]).toEqual([method, path('…'), expected, missing])
  }
})

test('what path and body name comes before a block', async () => {
  const [ann, blocker] = [await user(), await user()]
  await block(blocker, ann)
  const open = (recipients: string[]) => refusal(call(ann, 'POST', '/users/@me/rooms', { recipients }))
  expect(await open([blocker.id])).toBe('400 no_permission')
  expect(await open([blocker.id, '1'])).toBe('400 user_not_found')
})

test('pictures are checked before state', async () => {
  const [ann, bob] = [await user(), await user()]
  await fillMemberships(ann, bob, 100)
  const make = (icon: string | null) => refusal(call(ann, 'POST', '/houses', { name: 'Den', icon }))
  expect(await make(null)).toBe('400 limit_reached')
  expect(await make('no base64')).toBe('400 invalid_icon_file_format')
})

describe('permission is checked before state', () => {
  /** Asserts that the owner gets the code of the state, and a member without permission no_permission. */
  async function holds(
    owner: Person,
    other: Person,
    stands: string,
    ask: (who: Person) => ReturnType<typeof call>,
  ) {
    expect([await refusal(ask(owner)), await refusal(ask(other))]).toEqual([stands, '400 no_permission'])
  }

  test('where an entity is not empty, and a room the last', async () => {
    const { owner, member, id, room_id, entity_id } = await moderatedHouse()
    await holds(owner, member, '400 entity_not_empty', (who) =>
      call(who, 'DELETE', `/houses/${id}/entities/${entity_id}`),
    )
    await holds(owner, member, '400 last_room', (who) => call(who, 'DELETE', `/rooms/${room_id}`))
  })

  test('where a house is full of roles, rooms, entities or invites', async () => {
    const den = await moderatedHouse()
    const { owner, member, id: house_id } = den
    await db.updateTable('houses').set({ default_permissions: 3 }).where('id', '=', house_id).execute()
    const rows = (count: number) =>
      Array.from({ length: count }, () => ({ id: newId(), house_id, name: 'x' }))
    await db.insertInto('roles').values(rows(249)).execute()
    await db
      .insertInto('entities')
      .values(rows(99).map((row, index) => ({ ...row, position: index + 1 })))
      .execute()
    await db
      .insertInto('rooms')
      .values(rows(499).map((row) => ({ ...row, type: 0, position: 1 })))
      .execute()
    for (let count = 0; count < 200; count += 1) await inviteBy(den, owner)
    for (const things of ['roles', 'entities', 'rooms', 'invites']) {
      const make = (who: Person) => call(who, 'POST', `/houses/${house_id}/${things}`, { name: 'x' })
      await holds(owner, member, '400 limit_reached', make)
    }
  })

  test('where a banned user or bot is in a hundred houses', async () => {
    const [ann, ben, cat] = [await user(), await user(), await user()]
    const bots = [await user({ bot_of: ann }), await user({ bot_of: ann })]
    const den = await house({ owner: ann })
    const code = await inviteBy(den, ann)
    for (const person of [ben, cat, ...bots]) await fillMemberships(person, ann, 100)
    for (const banned of [cat, bots[1]!]) await call(ann, 'PUT', `/houses/${den.id}/bans/${banned.id}`)
    await holds(ben, cat, '400 limit_reached', (who) => call(who, 'POST', `/invites/${code}`))
    await holds(bots[0]!, bots[1]!, '400 limit_reached', ({ id }) =>
      call(ann, 'POST', `/houses/${den.id}/bots`, { bot_id: id }),
    )
  })

  test('where a group is full, and where a user has the most friends allowed', async () => {
    const [ann, friendly, blocker] = [await user(), await user(), await user()]
    await block(blocker, ann)
    const gang = await group(ann)
    const people = await crowd(1_000)
    await db
      .insertInto('room_recipients')
      .values(people.slice(0, 49).map((user_id) => ({ room_id: gang, user_id })))
      .execute()
    await db
      .insertInto('friendships')
      .values(people.map((id) => ({ user_low: ann.id, user_high: id })))
      .execute()
    await holds(friendly, blocker, '400 limit_reached', ({ id }) =>
      call(ann, 'PUT', `/rooms/${gang}/recipients/${id}`),
    )
    await holds(friendly, blocker, '400 limit_reached', ({ id: user_id }) =>
      call(ann, 'POST', '/relationships/@me/friend-requests', { user_id }),
    )
  })
})
