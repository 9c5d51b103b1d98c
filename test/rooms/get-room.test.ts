import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { override, roomNotFound, told } from '../support/permissions.ts'
import { gatewayUser } from '../support/rooms.ts'
import { call, group, house, houseRoom, message, oneToOne, user } from '../support/world.ts'

const plain = {
  emoji: null,
  description: null,
  last_message_id: null,
  permission_overrides: null,
  default_permission_override: null,
}

test('a house room has its position, newest message and overrides', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const id = await houseRoom(den, { name: 'hall', default_deny: permission.ATTACH_MEDIA })
  await override(id, ben.id, { type: 1, allow: permission.ATTACH_MEDIA })
  const last_message_id = await message(id, ben)
  const answer = await call(ben, 'GET', `/rooms/${id}`)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    data: {
      ...plain,
      id,
      house_id: den.id,
      name: 'hall',
      position: 1,
      type: 0,
      last_message_id,
      permission_overrides: { [ben.id]: { id: ben.id, type: 1, allow: permission.ATTACH_MEDIA, deny: 0 } },
      default_permission_override: { allow: 0, deny: permission.ATTACH_MEDIA },
      recipients: null,
      owner_id: null,
    },
  })
})

test('a private room has its participants without the caller', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const [two, many] = [await oneToOne(ann, ben), await group(ann, ben, cat)]
  const common = { ...plain, house_id: null, name: null, position: null }
  expect((await call(ann, 'GET', `/rooms/${two}`)).body.data).toEqual({
    ...common,
    id: two,
    type: 1,
    recipients: [gatewayUser(ben)],
    owner_id: null,
  })
  expect((await call(ben, 'GET', `/rooms/${many}`)).body.data).toEqual({
    ...common,
    id: many,
    type: 2,
    recipients: [gatewayUser(ann), gatewayUser(cat)],
    owner_id: ann.id,
  })
})

test('a room the caller cannot read, of any type, or that does not exist answers room_not_found', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [cat] })
  const hidden = await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  const rooms = [hidden, await group(ann, ben), await oneToOne(ann, ben), '1', '0', 'x', '%00']
  for (const id of rooms) expect(told(await call(cat, 'GET', `/rooms/${id}`))).toEqual([404, roomNotFound])
  expect(told(await call(ben, 'GET', `/rooms/${den.room_id}`))).toEqual([404, roomNotFound])
})
