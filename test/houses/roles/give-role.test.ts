import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import {
  houseNotFound,
  memberNotFound,
  moderatedHouse,
  noPermission,
  roleNotFound,
  told,
} from '../../support/permissions.ts'
import { rolesAs } from '../../support/roles.ts'
import { gatewayUser } from '../../support/rooms.ts'
import { call, db, expectTime, role, user } from '../../support/world.ts'

async function houseWithRoles() {
  const den = await moderatedHouse()
  const low = await role(den, { position: 1, allow: permission.MANAGE_ROOMS })
  const high = await role(den, { position: 2 })
  const path = (userId: string, roleId: string) => `/houses/${den.id}/members/${userId}/roles/${roleId}`
  return { ...den, low, high, path }
}

test('giving a role returns the member with roles highest first, and sends an event to the house', async () => {
  const den = await houseWithRoles()
  await call(den.moderator, 'PUT', den.path(den.member.id, den.low))
  const { answer, events } = await watching(() =>
    call(den.moderator, 'PUT', den.path(den.member.id, den.high), {}),
  )
  expect(answer.status).toBe(200)
  const { last_permission_update, joined_at } = answer.body.data
  expect(answer.body.data).toEqual({
    id: den.member.id,
    user_id: den.member.id,
    house_id: den.id,
    user: gatewayUser(den.member),
    roles: await rolesAs(den.owner, den.id, [den.high, den.low]),
    presence: 'offline',
    last_permission_update: expectTime,
    joined_at: expectTime,
  })
  expect(Date.parse(last_permission_update)).toBeGreaterThanOrEqual(Date.parse(joined_at))
  expect(events).toEqual([
    { type: 'member_updated', house_id: den.id, user_id: den.member.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [den.member.id] },
  ])
})

test('giving a role that the member has, also concurrently, changes once', async () => {
  const den = await houseWithRoles()
  const path = den.path(den.member.id, den.low)
  const { events } = await watching(async () => {
    const [one, other] = await Promise.all([call(den.owner, 'PUT', path), call(den.owner, 'PUT', path)])
    expect([one!.status, other!.status]).toEqual([200, 200])
    return one!
  })
  expect(events).toHaveLength(2)
  const again = await watching(() => call(den.owner, 'PUT', path))
  expect(again.answer.body.data.roles).toEqual(await rolesAs(den.owner, den.id, [den.low]))
  expect(again.events).toEqual([])
})

test('giving a role needs MANAGE_ROLES and a rank above the role, whoever the member is', async () => {
  const den = await houseWithRoles()
  for (const [caller, target, roleId] of [
    [den.member, den.member, den.low],
    [den.moderator, den.member, den.moderator_role_id],
    [den.moderator, den.moderator, den.moderator_role_id],
  ] as const) {
    const answer = await call(caller, 'PUT', den.path(target.id, roleId))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect((await call(den.moderator, 'PUT', den.path(den.moderator.id, den.low))).status).toBe(200)
  expect((await call(den.moderator, 'PUT', den.path(den.owner.id, den.low))).status).toBe(200)
})

test('foreign and unknown houses, members and roles are not found, in this order', async () => {
  const [den, other] = [await houseWithRoles(), await houseWithRoles()]
  for (const id of [other.member.id, '1', 'x']) {
    const answer = await call(den.member, 'PUT', den.path(id, '1'))
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(memberNotFound)
  }
  for (const id of [other.low, '1', 'x']) {
    const answer = await call(den.member, 'PUT', den.path(den.member.id, id))
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(roleNotFound)
  }
  const path = den.path(den.member.id, den.low)
  expect(told(await call(await user(), 'PUT', path))).toEqual([404, houseNotFound])
  expect(await db.selectFrom('member_roles').select('role_id').execute()).not.toContainEqual({
    role_id: den.low,
  })
})

test('the bits of a role apply from the next request on', async () => {
  const den = await houseWithRoles()
  const helper = await role(den, { position: 5, allow: permission.MANAGE_ROLES })
  const create = () => call(den.member, 'POST', `/houses/${den.id}/roles`, { name: 'x' })
  expect((await create()).body).toEqual(noPermission)
  await call(den.owner, 'PUT', den.path(den.member.id, helper))
  expect((await create()).status).toBe(200)
})
