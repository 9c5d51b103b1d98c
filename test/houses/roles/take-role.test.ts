import { expect, test } from 'vitest'
import { watching } from '../../support/houses.ts'
import {
  houseNotFound,
  memberNotFound,
  moderatedHouse,
  noPermission,
  roleNotFound,
  told,
} from '../../support/permissions.ts'
import { call, db, role, user } from '../../support/world.ts'

async function houseWithRole() {
  const den = await moderatedHouse()
  const low = await role(den, { position: 1, members: [den.member] })
  const path = (userId: string, roleId: string) => `/houses/${den.id}/members/${userId}/roles/${roleId}`
  return { ...den, low, path }
}

test('removing a role returns the member without it, and sends an event to the house', async () => {
  const den = await houseWithRole()
  const { answer, events } = await watching(() =>
    call(den.moderator, 'DELETE', den.path(den.member.id, den.low)),
  )
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ id: den.member.id, house_id: den.id, roles: [] })
  expect(answer.body.data.last_permission_update).not.toBeNull()
  expect(events).toEqual([
    { type: 'member_updated', house_id: den.id, user_id: den.member.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [den.member.id] },
  ])
  expect(
    await db.selectFrom('member_roles').selectAll().where('user_id', '=', den.member.id).execute(),
  ).toEqual([])
})

test('removing a role that the member lacks returns the member and sends no event', async () => {
  const den = await houseWithRole()
  const { answer, events } = await watching(() =>
    call(den.moderator, 'DELETE', den.path(den.owner.id, den.low)),
  )
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ id: den.owner.id, roles: [], last_permission_update: null })
  expect(events).toEqual([])
})

test('removing a role keeps the other roles of the member', async () => {
  const den = await houseWithRole()
  const other = await role(den, { position: 2, members: [den.member] })
  const answer = await call(den.moderator, 'DELETE', den.path(den.member.id, den.low))
  expect(answer.body.data.roles).toMatchObject([{ id: other }])
})

test('removing a role needs MANAGE_ROLES and a rank above the role, also on oneself', async () => {
  const den = await houseWithRole()
  for (const [caller, target, roleId] of [
    [den.member, den.member, den.low],
    [den.moderator, den.moderator, den.moderator_role_id],
  ] as const) {
    const answer = await call(caller, 'DELETE', den.path(target.id, roleId))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
})

test('foreign and unknown houses, members and roles are not found, in this order', async () => {
  const [den, other] = [await houseWithRole(), await houseWithRole()]
  expect(told(await call(den.owner, 'DELETE', den.path(other.member.id, den.low)))).toEqual([
    404,
    memberNotFound,
  ])
  expect(told(await call(den.owner, 'DELETE', den.path('x', den.low)))).toEqual([404, memberNotFound])
  expect(told(await call(den.owner, 'DELETE', den.path(den.member.id, other.low)))).toEqual([
    404,
    roleNotFound,
  ])
  expect(told(await call(den.owner, 'DELETE', den.path(den.member.id, '0')))).toEqual([404, roleNotFound])
  const path = den.path(den.member.id, den.low)
  expect(told(await call(await user(), 'DELETE', path))).toEqual([404, houseNotFound])
})
