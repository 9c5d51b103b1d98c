import { expect, test } from 'vitest'
import { houseNotFound, memberNotFound, told } from '../../support/permissions.ts'
import { rolesAs } from '../../support/roles.ts'
import { gatewayUser } from '../../support/rooms.ts'
import { call, db, expectTime, house, role, user } from '../../support/world.ts'

test('a member is returned with user and roles, highest first, as in the list', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ben, members: [ann] })
  const low = await role(den, { position: 1, members: [ann] })
  const high = await role(den, { position: 2, members: [ann] })
  const answer = await call(ben, 'GET', `/houses/${den.id}/members/${ann.id}`)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({
    id: ann.id,
    user_id: ann.id,
    house_id: den.id,
    user: gatewayUser(ann),
    roles: await rolesAs(ann, den.id, [high, low]),
    presence: 'offline',
    last_permission_update: null,
    joined_at: expectTime,
  })
  const list = await call(ben, 'GET', `/houses/${den.id}/members`)
  expect(list.body.data[0]).toEqual(answer.body.data)
  expect((await call(ann, 'GET', `/houses/${den.id}/members/${ann.id}`)).body).toEqual(answer.body)
})

test('a non-member, a former member and an unknown user answer member_not_found', async () => {
  const [ann, ben, gone] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [gone] })
  await db.deleteFrom('members').where('user_id', '=', gone.id).execute()
  for (const id of [ben.id, gone.id, '1', 'x', '%00']) {
    expect(told(await call(ann, 'GET', `/houses/${den.id}/members/${id}`))).toEqual([404, memberNotFound])
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, '1', 'x']) {
    expect(told(await call(ben, 'GET', `/houses/${id}/members/${ann.id}`))).toEqual([404, houseNotFound])
  }
})
