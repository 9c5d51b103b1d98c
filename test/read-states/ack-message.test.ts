import { expect, test } from 'vitest'
import { messageNotFound } from '../support/messages.ts'
import { roomNotFound } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { block, call, db, house, message, user } from '../support/world.ts'

async function readStateOf(userId: string, roomId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('read_states')
    .select('message_id')
    .where('user_id', '=', userId)
    .where('room_id', '=', roomId)
    .executeTakeFirst()
  return row?.message_id
}

test('an ack moves the read state, counts the mentions after it, and sends an event to the caller', async () => {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob] })
  const first = await message(room_id, ann, { mentions: [bob] })
  const second = await message(room_id, ann, { mentions: [bob] })
  await message(room_id, bob, { mentions: [bob] })
  const answer = await call(bob, 'POST', `/rooms/${room_id}/messages/${first}/ack`, {})
  const data = { room_id, message_id: first, mention_count: 1 }
  expect([answer.status, answer.body.data]).toEqual([200, data])
  expect(await readStateOf(bob.id, room_id)).toBe(first)
  await expect
    .poll(() => publishedAbout(room_id, bob.id))
    .toEqual([{ type: 'read_state_updated', user_id: bob.id, room_id: data.room_id }])
  const last = await call(bob, 'POST', `/rooms/${room_id}/messages/${second}/ack`)
  expect(last.body.data).toEqual({ room_id, message_id: second, mention_count: 0 })
})

test('an ack of an older message answers the present state and sends no event', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const ids = [await message(room_id, ann), await message(room_id, ann), await message(room_id, ann)]
  const [older, newer, newest] = ids
  await call(ann, 'POST', `/rooms/${room_id}/messages/${newer}/ack`)
  const answer = await call(ann, 'POST', `/rooms/${room_id}/messages/${older}/ack`)
  expect(answer.body.data).toEqual({ room_id, message_id: newer, mention_count: 0 })
  expect(await readStateOf(ann.id, room_id)).toBe(newer)
  await call(ann, 'POST', `/rooms/${room_id}/messages/${newest}/ack`)
  await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'after it' })
  expect(publishedAbout(room_id).map((event) => event.type)).toEqual([
    'read_state_updated',
    'read_state_updated',
    'message_created',
  ])
})

test('concurrent acks end at the newest message, and each move sends an event', async () => {
  for (let round = 0; round < 10; round += 1) {
    const ann = await user()
    const { room_id } = await house({ owner: ann })
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1) ids.push(await message(room_id, ann))
    const urls = [...ids, ...ids].map((id) => `/rooms/${room_id}/messages/${id}/ack`)
    const answers = await Promise.all(urls.map((url) => call(ann, 'POST', url)))
    expect(answers.map((answer) => answer.status)).toEqual(urls.map(() => 200))
    expect(await readStateOf(ann.id, room_id)).toBe(ids.at(-1))
    // Each event has the read state at its delivery.
    const event = { type: 'read_state_updated', user_id: ann.id, room_id }
    await expect.poll(() => publishedAbout(room_id)).toContainEqual(event)
  }
})

test('mentions by the caller, by blocked and restricted users, and exploded ones do not count', async () => {
  const [ann, bob, cat, dan] = [await user(), await user(), await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob, cat, dan] })
  await block(bob, cat, 5)
  await block(bob, dan, 4)
  const first = await message(room_id, ann)
  for (const author of [bob, cat, dan]) await message(room_id, author, { mentions: [bob] })
  await message(room_id, ann, { mentions: [bob], expires_at: new Date(Date.now() - 1) })
  const answer = await call(bob, 'POST', `/rooms/${room_id}/messages/${first}/ack`)
  expect(answer.body.data.mention_count).toBe(0)
})

test('a deleted message can be acked, an id beyond the newest message cannot', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const empty = await call(ann, 'POST', `/rooms/${room_id}/messages/1/ack`)
  expect([empty.status, empty.body]).toEqual([404, messageNotFound])
  const id = await message(room_id, ann)
  await db.deleteFrom('messages').where('id', '=', id).execute()
  expect((await call(ann, 'POST', `/rooms/${room_id}/messages/${id}/ack`)).status).toBe(200)
  for (const wrong of [String(BigInt(id) + 1n), 'x', '0']) {
    const answer = await call(ann, 'POST', `/rooms/${room_id}/messages/${wrong}/ack`)
    expect([answer.status, answer.body]).toEqual([404, messageNotFound])
  }
})

test('in a room the caller cannot read an ack answers room_not_found', async () => {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const answer = await call(bob, 'POST', `/rooms/${room_id}/messages/${id}/ack`)
  expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  expect(await readStateOf(bob.id, room_id)).toBeUndefined()
})
