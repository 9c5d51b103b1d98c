import { expect, test } from 'vitest'
import { newHousePermissions, permission } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { watching } from '../../support/houses.ts'
import {
  houseNotFound,
  invalid,
  moderatedHouse,
  noPermission,
  required,
  told,
} from '../../support/permissions.ts'
import { call, db, failure, role, user } from '../../support/world.ts'

const { SEND_MESSAGES, READ_MESSAGES, MANAGE_ROLES, MANAGE_ROOMS } = permission

function rolesOf(houseId: string) {
  return db.selectFrom('roles').selectAll().where('house_id', '=', houseId).execute()
}

test('creation returns and stores the role, and sends an event to the house', async () => {
  const den = await moderatedHouse()
  const fields = { name: 'Helpers', color: 'FFaa00', position: 9, allow: MANAGE_ROLES, deny: SEND_MESSAGES }
  const { answer, events } = await watching(() =>
    call(den.moderator, 'POST', `/houses/${den.id}/roles`, fields),
  )
  expect(answer.status).toBe(200)
  const made = answer.body.data
  const row = { ...fields, id: made.id, house_id: den.id, color: '#ffaa00' }
  expect(made).toEqual({ ...row, level: 9 })
  expect((await rolesOf(den.id)).find((one) => one.id === made.id)).toEqual(row)
  expect(events).toEqual([{ type: 'role_created', house_id: den.id, role: made }])
})

test('a role with only a name gets the defaults', async () => {
  const den = await moderatedHouse()
  const answer = await call(den.owner, 'POST', `/houses/${den.id}/roles`, { name: 'x', shiny: true })
  expect(answer.body.data).toMatchObject({ position: 0, level: 0, color: '#99aab5', allow: 0, deny: 0 })
})

test.each([
  ['no name', {}, required('name')],
  ['a blank name', { name: ' ' }, required('name')],
  ['a name of 65', { name: 'x'.repeat(65) }, required('name')],
  ['a name with a line break', { name: 'a\nb' }, required('name')],
  ['a colour of three digits', { name: 'x', color: '#fff' }, invalid('color')],
  ['a colour that is null', { name: 'x', color: null }, invalid('color')],
  ['a position below 0', { name: 'x', position: -1 }, invalid('position')],
  ['a position above 1000', { name: 'x', position: 1001 }, invalid('position')],
  ['bits beyond the twenty', { name: 'x', allow: 1048576 }, invalid('allow')],
  ['bits below 0', { name: 'x', deny: -1 }, invalid('deny')],
  ['bits as text', { name: 'x', allow: '1' }, invalid('allow')],
  ['a bit allowed and denied', { name: 'x', allow: 3, deny: 1 }, invalid('allow', 'deny')],
  ['several wrong fields', { name: 'x', deny: -1, color: 5 }, invalid('color', 'deny')],
])('creating a role with %s answers invalid_schema and makes none', async (_name, fields, body) => {
  const den = await moderatedHouse()
  const { answer, events } = await watching(() => call(den.owner, 'POST', `/houses/${den.id}/roles`, fields))
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual(body)
  expect(events).toEqual([])
  expect(await rolesOf(den.id)).toHaveLength(1)
})

test("creation without MANAGE_ROLES, at the caller's rank, or with bits they lack answers no_permission", async () => {
  const den = await moderatedHouse()
  for (const [caller, fields] of [
    [den.member, { name: 'x' }],
    [den.moderator, { name: 'x', position: 10 }],
    [den.moderator, { name: 'x', allow: MANAGE_ROOMS }],
    [den.moderator, { name: 'x', deny: MANAGE_ROOMS }],
  ] as const) {
    const answer = await call(caller, 'POST', `/houses/${den.id}/roles`, fields)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect(await rolesOf(den.id)).toHaveLength(1)
})

test('the owner ranks above every position, an administrator only above lower roles', async () => {
  const den = await moderatedHouse(permission.ADMINISTRATOR)
  const path = `/houses/${den.id}/roles`
  const all = { name: 'x', allow: MANAGE_ROOMS | READ_MESSAGES }
  expect((await call(den.owner, 'POST', path, { ...all, position: 1000 })).status).toBe(200)
  expect((await call(den.moderator, 'POST', path, { ...all, position: 9 })).status).toBe(200)
  expect(told(await call(den.moderator, 'POST', path, { ...all, position: 10 }))).toEqual([400, noPermission])
})

test('a member with MANAGE_ROLES by the default permissions ranks below every role', async () => {
  const den = await moderatedHouse()
  await db
    .updateTable('houses')
    .set({ default_permissions: newHousePermissions | MANAGE_ROLES })
    .where('id', '=', den.id)
    .execute()
  expect((await call(den.member, 'POST', `/houses/${den.id}/roles`, { name: 'x' })).body).toEqual(
    noPermission,
  )
})

test('a house has at most 250 roles, also under concurrent requests', async () => {
  const den = await moderatedHouse()
  const rows = Array.from({ length: 248 }, () => ({ id: newId(), house_id: den.id, name: 'role' }))
  await db.insertInto('roles').values(rows).execute()
  const path = `/houses/${den.id}/roles`
  const answers = await Promise.all([1, 2, 3].map(() => call(den.owner, 'POST', path, { name: 'x' })))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
  expect(answers.find((answer) => answer.status === 400)!.body).toEqual(
    failure('limit_reached', 'You have reached a limit (roles)'),
  )
  expect(await rolesOf(den.id)).toHaveLength(250)
})

test('a foreign house answers house_not_found, after the check of the fields', async () => {
  const den = await moderatedHouse()
  const stranger = await user()
  await role(den)
  const path = `/houses/${den.id}/roles`
  const answer = await call(stranger, 'POST', path, { name: 'x' })
  expect(answer.status).toBe(404)
  expect(answer.body).toEqual(houseNotFound)
  expect(told(await call(stranger, 'POST', path))).toEqual([400, required('name')])
})
