import { expect, test } from 'vitest'
import { allPermissions, newHousePermissions, permission } from '../../src/houses/permissions.ts'
import { fillHouse } from '../support/crowds.ts'
import { houseSummary } from '../support/houses.ts'
import { freshHouseRoom } from '../support/rooms.ts'
import { call, failure, house, houseRoom, role, user } from '../support/world.ts'

test('a house has the rooms, pointers and bits of the member who requests it', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const hidden = await houseRoom(den, { name: 'hidden', default_deny: permission.READ_MESSAGES })
  const last = await houseRoom(den, { name: 'last' })
  const helper = await role(den, { allow: permission.MANAGE_ROLES, position: 4, members: [ben] })
  const asBen = (await call(ben, 'GET', `/houses/${den.id}`)).body.data
  expect(asBen).toEqual({
    ...houseSummary(den, 2),
    default_permissions: newHousePermissions,
    rooms: [
      freshHouseRoom(den, { id: den.room_id, name: 'general', position: 0 }),
      freshHouseRoom(den, { id: last, name: 'last', position: 2 }),
    ],
    entities: [
      {
        id: den.entity_id,
        house_id: den.id,
        name: 'Rooms',
        type: 1,
        position: 0,
        resource_pointers: [den.room_id, last].map((resource_id) => ({ resource_type: 'room', resource_id })),
      },
    ],
    roles: [
      expect.objectContaining({ id: helper, house_id: den.id, position: 4, level: 4, color: '#99aab5' }),
    ],
    permissions: newHousePermissions | permission.MANAGE_ROLES,
  })
  const asAnn = (await call(ann, 'GET', `/houses/${den.id}`)).body.data
  expect(asAnn.permissions).toBe(allPermissions)
  expect(asAnn.rooms.map((room: { id: string }) => room.id)).toEqual([den.room_id, hidden, last])
  expect(asAnn.entities[0].resource_pointers).toHaveLength(3)
})

test('concurrent requests for several houses return the right ones', async () => {
  const ann = await user()
  const dens = await Promise.all(Array.from({ length: 5 }, () => house({ owner: ann })))
  const answers = await Promise.all([...dens, ...dens].map((den) => call(ann, 'GET', `/houses/${den.id}`)))
  expect(answers.map((answer) => [answer.body.data.id, answer.body.data.rooms[0].id])).toEqual(
    [...dens, ...dens].map((den) => [den.id, den.room_id]),
  )
})

test('the largest house that the limits allow fits into 3.5 MiB, and so do its rooms', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await fillHouse(den)
  const [detail, rooms] = await Promise.all(
    ['', '/rooms'].map((path) => call(ann, 'GET', `/houses/${den.id}${path}`)),
  )
  expect(detail!.body.data.rooms).toHaveLength(500)
  expect(rooms!.body.data).toHaveLength(500)
  for (const { text } of [detail!, rooms!]) {
    expect(Buffer.byteLength(text)).toBeGreaterThan(1.5 * 1024 * 1024)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3.5 * 1024 * 1024)
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, '1', 'x', '%00']) {
    const answer = await call(ben, 'GET', `/houses/${id}`)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(failure('house_not_found', 'That house does not exist'))
  }
})
