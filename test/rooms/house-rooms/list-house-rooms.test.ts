import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { houseNotFound, told } from '../../support/permissions.ts'
import { freshHouseRoom } from '../../support/rooms.ts'
import { call, house, houseRoom, user } from '../../support/world.ts'

test('each member gets the rooms that they can read, as in the house', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const hidden = await houseRoom(den, { name: 'hidden', default_deny: permission.READ_MESSAGES })
  const last = await houseRoom(den, { name: 'last' })
  const asBen = await call(ben, 'GET', `/houses/${den.id}/rooms`)
  expect(asBen.status).toBe(200)
  expect(asBen.body.data).toEqual([
    freshHouseRoom(den, { id: den.room_id, name: 'general', position: 0 }),
    freshHouseRoom(den, { id: last, name: 'last', position: 2 }),
  ])
  const asAnn = (await call(ann, 'GET', `/houses/${den.id}/rooms`)).body.data
  expect(asAnn.map((room: { id: string }) => room.id)).toEqual([den.room_id, hidden, last])
  expect((await call(ben, 'GET', `/houses/${den.id}`)).body.data.rooms).toEqual(asBen.body.data)
  expect((await call(ann, 'GET', `/houses/${den.id}`)).body.data.rooms).toEqual(asAnn)
})

test('rooms are listed by position, of equal positions the older first', async () => {
  const den = await house({ owner: await user() })
  const [second, third] = [await houseRoom(den), await houseRoom(den)]
  for (const [id, position] of [
    [den.room_id, 7],
    [third, 1],
    [second, 1],
  ] as const) {
    await call(den.owner, 'PATCH', `/rooms/${id}`, { position })
  }
  for (const path of [`/houses/${den.id}/rooms`, `/houses/${den.id}`]) {
    const { data } = (await call(den.owner, 'GET', path)).body
    const ids = (data.rooms ?? data).map((room: { id: string }) => room.id)
    expect(ids).toEqual([second, third, den.room_id])
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [den, ben] = [await house({ owner: await user() }), await user()]
  for (const id of [den.id, '1', 'x', '%00']) {
    expect(told(await call(ben, 'GET', `/houses/${id}/rooms`))).toEqual([404, houseNotFound])
  }
})
