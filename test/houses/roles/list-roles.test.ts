import { expect, test } from 'vitest'
import { houseNotFound, moderatedHouse } from '../../support/permissions.ts'
import { call, role, user } from '../../support/world.ts'

test('roles are listed highest first, of equal positions the older first', async () => {
  const den = await moderatedHouse()
  const low = await role(den, { position: 0, allow: 1, deny: 2 })
  const alsoLow = await role(den, { position: 0 })
  const answer = await call(den.member, 'GET', `/houses/${den.id}/roles`)
  expect(answer.status).toBe(200)
  expect(answer.body.data.map((one: { id: string }) => one.id)).toEqual([den.moderator_role_id, low, alsoLow])
  expect(answer.body.data[1]).toEqual({
    id: low,
    house_id: den.id,
    name: 'role',
    position: 0,
    level: 0,
    color: '#99aab5',
    allow: 1,
    deny: 2,
  })
})

test('a foreign or unknown house answers house_not_found', async () => {
  const den = await moderatedHouse()
  for (const id of [den.id, '1', 'x']) {
    const answer = await call(await user(), 'GET', `/houses/${id}/roles`)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(houseNotFound)
  }
})
