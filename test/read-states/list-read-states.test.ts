import { expect, test } from 'vitest'
import { block, call, db, group, house, houseRoom, message, type Person, user } from '../support/world.ts'

async function statesOf(caller: Person) {
  const answer = await call(caller, 'GET', '/users/@me/read-state')
  expect(answer.status).toBe(200)
  return answer.body.data
}

test('lists rooms with a read mark or a mention, and the number of unread mentions', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const [acked, quiet] = [await houseRoom(den), await houseRoom(den)]
  const pair = await group(ann, bob)
  await message(quiet, ann)
  const first = await message(acked, ann, { mentions: [bob] })
  await message(acked, ann, { mentions: [bob] })
  await message(pair, ann, { mentions: [bob] })
  await message(pair, ann, { mentions: [bob] })
  await call(bob, 'POST', `/rooms/${acked}/messages/${first}/ack`)
  const sent = await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hi' })
  expect(await statesOf(bob)).toEqual({
    [acked]: { message_id: first, mention_count: 1 },
    [pair]: { message_id: '0', mention_count: 2 },
    [den.room_id]: { message_id: sent.body.data.id, mention_count: 0 },
  })
})

test('the list is empty without read marks and mentions', async () => {
  expect(await statesOf(await user())).toEqual({})
})

test('only rooms the caller can read now are listed', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const hidden = await houseRoom(den)
  const left = await group(ann, bob)
  for (const roomId of [hidden, left]) {
    const id = await message(roomId, ann, { mentions: [bob] })
    await call(bob, 'POST', `/rooms/${roomId}/messages/${id}/ack`)
  }
  await db.updateTable('rooms').set({ default_deny: 2 }).where('id', '=', hidden).execute()
  await db.deleteFrom('room_recipients').where('room_id', '=', left).where('user_id', '=', bob.id).execute()
  expect(await statesOf(bob)).toEqual({})
})

test('mentions by the caller, by blocked and restricted users, and exploded ones do not count', async () => {
  const [ann, bob, cat, dan] = [await user(), await user(), await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob, cat, dan] })
  await block(bob, cat, 5)
  await block(bob, dan, 4)
  for (const author of [bob, cat, dan]) await message(room_id, author, { mentions: [bob] })
  await message(room_id, ann, { mentions: [bob], expires_at: new Date(Date.now() - 1) })
  expect(await statesOf(bob)).toEqual({})
  await message(room_id, ann, { mentions: [bob] })
  expect(await statesOf(bob)).toEqual({ [room_id]: { message_id: '0', mention_count: 1 } })
})

test('a mention in a deleted message does not count, and its room is read if nothing else is left there', async () => {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob] })
  const id = await message(room_id, ann, { mentions: [bob] })
  await call(ann, 'DELETE', `/rooms/${room_id}/messages/${id}`)
  expect(await statesOf(bob)).toEqual({ [room_id]: { message_id: id, mention_count: 0 } })
})
