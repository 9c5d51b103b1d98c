import { expect, test } from 'vitest'
import { attach } from '../../support/houses.ts'
import { listRows, messageNotFound } from '../../support/messages.ts'
import { noPermission, roomNotFound } from '../../support/permissions.ts'
import { lastMessageId } from '../../support/rooms.ts'
import { isDiscarded } from '../../support/store.ts'
import {
  call,
  db,
  group,
  house,
  houseRoom,
  message,
  oneToOne,
  published,
  role,
  user,
} from '../../support/world.ts'

test('deletion returns the ids, removes message and mentions, and sends an event', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  for (const prefix of ['', `/houses/${den.id}`]) {
    const id = await message(den.room_id, bob, { mentions: [ann] })
    const before = published.length
    const answer = await call(bob, 'DELETE', `${prefix}/rooms/${den.room_id}/messages/${id}`)
    expect([answer.status, answer.body.data]).toEqual([200, { id, room_id: den.room_id, house_id: den.id }])
    expect(await listRows(den.room_id)).toEqual([])
    expect(await db.selectFrom('mentions').where('message_id', '=', id).execute()).toEqual([])
    expect(await lastMessageId(den.room_id)).toBe(id)
    expect(published.slice(before)).toEqual([
      { type: 'message_deleted', room_id: den.room_id, house_id: den.id, message_id: id },
      { type: 'read_state_updated', room_id: den.room_id, user_id: ann.id },
    ])
  }
})

test('the file of a deleted message is discarded', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const file = await attach(room_id, id)
  await call(ann, 'DELETE', `/rooms/${room_id}/messages/${id}`)
  expect(await isDiscarded(file)).toBe(true)
})

test('only moderators and the owner of a group may delete messages of others', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [bob, cat] })
  const three = await group(ann, bob, cat)
  const two = await oneToOne(ann, bob)
  await role(den, { allow: 8, members: [bob] })
  const refused = [
    [cat, den.room_id],
    [bob, three],
    [ann, two],
  ] as const
  for (const [caller, roomId] of refused) {
    const author = roomId === two ? bob : ann
    const id = await message(roomId, author)
    const answer = await call(caller, 'DELETE', `/rooms/${roomId}/messages/${id}`)
    expect([answer.status, answer.body]).toEqual([400, noPermission])
  }
  for (const [caller, roomId] of [
    [bob, den.room_id],
    [ann, three],
  ] as const) {
    const id = await message(roomId, cat)
    expect((await call(caller, 'DELETE', `/rooms/${roomId}/messages/${id}`)).status).toBe(200)
  }
})

test('a message deleted by concurrent requests is deleted once', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const before = published.length
  const answers = await Promise.all([1, 2].map(() => call(ann, 'DELETE', `/rooms/${room_id}/messages/${id}`)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
  expect(published.length - before).toBe(1)
})

test('an unknown, foreign or exploded message answers message_not_found', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const elsewhere = await message(await houseRoom(den), ann)
  const exploded = await message(den.room_id, ann, { expires_at: new Date(Date.now() - 1) })
  for (const id of ['1', 'x', elsewhere, exploded]) {
    const answer = await call(ann, 'DELETE', `/rooms/${den.room_id}/messages/${id}`)
    expect([answer.status, answer.body]).toEqual([404, messageNotFound])
  }
})

test('a foreign room, or one of another house than in the path, answers room_not_found', async () => {
  const [ann, bob] = [await user(), await user()]
  const [den, other] = [await house({ owner: ann }), await house({ owner: ann })]
  const id = await message(den.room_id, ann)
  const wrong = [
    [bob, `/rooms/${den.room_id}/messages/${id}`],
    [ann, `/houses/${other.id}/rooms/${den.room_id}/messages/${id}`],
    [ann, `/houses/x/rooms/${den.room_id}/messages/${id}`],
  ] as const
  for (const [caller, url] of wrong) {
    const answer = await call(caller, 'DELETE', url)
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
  expect(await listRows(den.room_id)).toHaveLength(1)
})
