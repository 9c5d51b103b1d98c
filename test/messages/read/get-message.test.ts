import { expect, test } from 'vitest'
import { messageNotFound } from '../../support/messages.ts'
import { roomNotFound } from '../../support/permissions.ts'
import { call, house, houseRoom, message, user } from '../../support/world.ts'

test('a message equals that of the list', async () => {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob] })
  const id = await message(room_id, ann, { mentions: [bob] })
  const answer = await call(bob, 'GET', `/rooms/${room_id}/messages/${id}`)
  expect(answer.status).toBe(200)
  const history = await call(bob, 'GET', `/rooms/${room_id}/messages`)
  expect(answer.body.data).toEqual(history.body.data[0])
  expect(Object.keys(answer.body.data)).toHaveLength(16)
})

test('an unknown, foreign or exploded message answers message_not_found', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const elsewhere = await message(await houseRoom(den), ann)
  const exploded = await message(den.room_id, ann, { expires_at: new Date(Date.now() - 1) })
  for (const id of ['1', 'x', '0', elsewhere, exploded]) {
    const answer = await call(ann, 'GET', `/rooms/${den.room_id}/messages/${id}`)
    expect([answer.status, answer.body]).toEqual([404, messageNotFound])
  }
})

test('in a room the caller cannot read it answers room_not_found', async () => {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const answer = await call(bob, 'GET', `/rooms/${room_id}/messages/${id}`)
  expect([answer.status, answer.body]).toEqual([404, roomNotFound])
})
