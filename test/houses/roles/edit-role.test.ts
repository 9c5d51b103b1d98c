import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import {
  emptyBody,
  houseNotFound,
  invalid,
  moderatedHouse,
  noPermission,
  roleNotFound,
  told,
} from '../../support/permissions.ts'
import { call, db, role, user } from '../../support/world.ts'

const { SEND_MESSAGES, READ_MESSAGES, ADMINISTRATOR, ATTACH_MEDIA, MANAGE_ROOMS } = permission

function roleRow(id: string) {
  return db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function houseWithRole(fields: { allow?: number; deny?: number; position?: number } = {}) {
  const den = await moderatedHouse()
  const role_id = await role(den, fields)
  return { ...den, role_id, path: `/houses/${den.id}/roles/${role_id}` }
}

test('an update changes the given fields, returns the role and sends an event to the house', async () => {
  const den = await houseWithRole({ allow: SEND_MESSAGES, position: 3 })
  const { answer, events } = await watching(() =>
    call(den.moderator, 'PATCH', den.path, { name: 'New', color: '#ABCDEF', shiny: 1 }),
  )
  expect(answer.status).toBe(200)
  const row = {
    id: den.role_id,
    house_id: den.id,
    name: 'New',
    color: '#abcdef',
    position: 3,
    allow: SEND_MESSAGES,
    deny: 0,
  }
  expect(answer.body.data).toEqual({ ...row, level: 3 })
  expect(await roleRow(den.role_id)).toEqual(row)
  expect(events).toEqual([{ type: 'role_updated', house_id: den.id, role: { ...row, level: 3 } }])
})

test.each([
  ['READ_MESSAGES', { deny: READ_MESSAGES }, true],
  ['ADMINISTRATOR', { allow: ADMINISTRATOR }, true],
  ['its position', { position: 4 }, true],
  ['another bit', { deny: ATTACH_MEDIA }, false],
])('changing %s of a role says whether somebody may read other rooms now', async (_name, fields, isSaid) => {
  const den = await houseWithRole()
  const { events } = await watching(() => call(den.owner, 'PATCH', den.path, fields))
  const said = { type: 'visibility_changed', house_id: den.id, user_ids: null }
  expect(events.slice(1)).toEqual(isSaid ? [said] : [])
  expect(events[0]!.type).toBe('role_updated')
})

test('an update that changes nothing, or has unknown fields only, sends no event', async () => {
  const den = await houseWithRole({ position: 3 })
  for (const fields of [{ name: 'role', position: 3, color: '99AAB5' }, { shiny: true }]) {
    const { answer, events } = await watching(() => call(den.moderator, 'PATCH', den.path, fields))
    expect(answer.status).toBe(200)
    expect(answer.body.data.name).toBe('role')
    expect(events).toEqual([])
  }
})

test.each([
  ['no body', undefined, emptyBody],
  ['an empty object', {}, emptyBody],
  ['null', null, emptyBody],
  ['a wrong name', { name: '', color: '#ffffff' }, invalid('name')],
  ['null as name', { name: null }, invalid('name')],
  ['a wrong colour', { color: 'red' }, invalid('color')],
  ['a position that is no integer', { position: 1.5 }, invalid('position')],
  ['too many bits', { allow: 1048576 }, invalid('allow')],
  ['a bit allowed and denied', { allow: 1, deny: 1 }, invalid('allow', 'deny')],
  ['a bit allowed that is denied already', { allow: SEND_MESSAGES }, invalid('allow')],
])('editing a role with %s answers invalid_schema and changes nothing', async (_name, fields, body) => {
  const den = await houseWithRole({ deny: SEND_MESSAGES })
  const { answer, events } = await watching(() => call(den.owner, 'PATCH', den.path, fields))
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual(body)
  expect(events).toEqual([])
  expect(await roleRow(den.role_id)).toMatchObject({ name: 'role', color: '#99aab5', deny: SEND_MESSAGES })
})

test('a bit in both allow and deny answers invalid_schema before no_permission', async () => {
  const den = await houseWithRole()
  const answer = await call(den.member, 'PATCH', den.path, { allow: 1, deny: 1 })
  expect(told(answer)).toEqual([400, invalid('allow', 'deny')])
})

test('an update needs MANAGE_ROLES, a rank above the role before and after, and the bits that change', async () => {
  const den = await houseWithRole({ allow: MANAGE_ROOMS })
  const own = `/houses/${den.id}/roles/${den.moderator_role_id}`
  for (const [caller, path, fields] of [
    [den.member, den.path, { name: 'x' }],
    [den.member, den.path, { shiny: true }],
    [den.moderator, own, { name: 'x' }],
    [den.moderator, own, { position: 5 }],
    [den.moderator, den.path, { position: 10 }],
    [den.moderator, den.path, { allow: 0 }],
    [den.moderator, den.path, { deny: permission.KICK_MEMBERS }],
  ] as const) {
    const answer = await call(caller, 'PATCH', path, fields)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect((await roleRow(den.role_id)).position).toBe(0)
  // A bit that the caller lacks may stay unchanged.
  const fields = { allow: MANAGE_ROOMS | SEND_MESSAGES, position: 9 }
  expect((await call(den.moderator, 'PATCH', den.path, fields)).status).toBe(200)
})

test('foreign and unknown houses and roles are not found', async () => {
  const [den, other] = [await houseWithRole(), await houseWithRole()]
  for (const id of [other.role_id, '1', 'x']) {
    const answer = await call(den.member, 'PATCH', `/houses/${den.id}/roles/${id}`, { name: 'x' })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(roleNotFound)
  }
  expect(told(await call(await user(), 'PATCH', den.path, { name: 'x' }))).toEqual([404, houseNotFound])
})

test('concurrent updates of different fields both apply', async () => {
  const den = await houseWithRole()
  await Promise.all([
    call(den.owner, 'PATCH', den.path, { name: 'x' }),
    call(den.owner, 'PATCH', den.path, { position: 5 }),
  ])
  expect(await roleRow(den.role_id)).toMatchObject({ name: 'x', position: 5 })
})
