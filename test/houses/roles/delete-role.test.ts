import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import {
  houseNotFound,
  moderatedHouse,
  noPermission,
  override,
  roleNotFound,
  told,
} from '../../support/permissions.ts'
import { call, db, house, houseRoom, role, user } from '../../support/world.ts'

test('deletion removes the role from members and overrides, and sends an event to the house', async () => {
  const den = await moderatedHouse()
  const role_id = await role(den, { allow: permission.MANAGE_ROOMS, position: 9, members: [den.member] })
  await house({ owner: den.member })
  const roomWithBoth = await houseRoom(den)
  await override(den.room_id, role_id, { type: 0, allow: 2 })
  await override(roomWithBoth, role_id, { type: 0, deny: 2 })
  await override(roomWithBoth, den.member.id, { type: 1, allow: 2 })
  const { answer, events } = await watching(() =>
    call(den.moderator, 'DELETE', `/houses/${den.id}/roles/${role_id}`, {}),
  )
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ id: role_id, house_id: den.id })
  expect(events).toEqual([
    { type: 'role_deleted', house_id: den.id, role_id },
    { type: 'visibility_changed', house_id: den.id, user_ids: null },
  ])
  const rows = await db
    .selectFrom('rooms')
    .select('permission_overrides')
    .where('house_id', '=', den.id)
    .orderBy('id')
    .execute()
  expect(rows.map((row) => row.permission_overrides)).toEqual([
    null,
    { [den.member.id]: { id: den.member.id, type: 1, allow: 2, deny: 0 } },
  ])
  const holders = await db.selectFrom('member_roles').selectAll().where('role_id', '=', role_id).execute()
  expect(holders).toEqual([])
  const touched = await db
    .selectFrom('members')
    .select(['house_id', 'user_id'])
    .where('user_id', 'in', [den.owner.id, den.member.id, den.moderator.id])
    .where('last_permission_update', 'is not', null)
    .execute()
  expect(touched).toEqual([{ house_id: den.id, user_id: den.member.id }])
})

test('deletion without MANAGE_ROLES, or of a role that does not rank below, answers no_permission', async () => {
  const den = await moderatedHouse()
  const low = await role(den)
  for (const [caller, id] of [
    [den.member, low],
    [den.moderator, den.moderator_role_id],
  ] as const) {
    const answer = await call(caller, 'DELETE', `/houses/${den.id}/roles/${id}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect(await db.selectFrom('roles').select('id').where('house_id', '=', den.id).execute()).toHaveLength(2)
})

test('foreign and unknown houses and roles are not found', async () => {
  const [den, other] = [await moderatedHouse(), await moderatedHouse()]
  for (const id of [other.moderator_role_id, '1', 'x']) {
    const answer = await call(den.owner, 'DELETE', `/houses/${den.id}/roles/${id}`)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(roleNotFound)
  }
  const path = `/houses/${den.id}/roles/${den.moderator_role_id}`
  expect(told(await call(await user(), 'DELETE', path))).toEqual([404, houseNotFound])
})

test('a role deleted by concurrent requests is deleted once', async () => {
  const den = await moderatedHouse()
  const path = `/houses/${den.id}/roles/${den.moderator_role_id}`
  const answers = await Promise.all([call(den.owner, 'DELETE', path), call(den.owner, 'DELETE', path)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
})
