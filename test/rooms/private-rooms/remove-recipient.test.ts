import { expect, test } from 'vitest'
import { participantsOf, roomRow } from '../../support/rooms.ts'
import { call, failure, group, house, oneToOne, type Person, published, user } from '../../support/world.ts'

function remove(caller: Person | null, roomId: string, userId: string) {
  return call(caller, 'DELETE', `/rooms/${roomId}/recipients/${userId}`)
}

test('the owner removes a participant, with the events of leaving', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben, cat)
  const before = published.length
  const answer = await remove(ann, room, ben.id)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: { id: room, user_id: ben.id } })
  expect(await participantsOf(room)).toEqual([ann.id, cat.id])
  expect(published.slice(before)).toEqual([
    { type: 'private_room_left', room_id: room, user_id: ben.id },
    { type: 'room_updated', room_id: room, house_id: null },
  ])
})

test('removing oneself is leaving: ownership passes on, the last participant deletes the room', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben, cat)
  expect((await remove(cat, room, cat.id)).body.data).toEqual({ id: room, user_id: cat.id })
  expect((await remove(ann, room, ann.id)).body.data).toEqual({ id: room, user_id: ann.id })
  expect(await roomRow(room)).toMatchObject({ owner_id: ben.id })
  const before = published.length
  expect((await remove(ben, room, ben.id)).status).toBe(200)
  expect(await roomRow(room)).toBeUndefined()
  expect(published.slice(before)).toEqual([{ type: 'private_room_left', room_id: room, user_id: ben.id }])
})

test('a participant who is not the owner gets no_permission for others', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben, cat)
  const before = published.length
  for (const person of [ann, cat]) {
    const answer = await remove(ben, room, person.id)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('no_permission', 'You do not have permission to do this'))
  }
  expect(await participantsOf(room)).toHaveLength(3)
  expect(published.length).toBe(before)
})

test('a user outside the group and an unknown id answer member_not_found', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben)
  for (const caller of [ann, ben]) {
    for (const id of [cat.id, '1', '0', 'x', '%00']) {
      const answer = await remove(caller, room, id)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(failure('member_not_found', 'That member does not exist'))
    }
  }
})

test('a foreign or unknown room answers room_not_found', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ben })
  for (const room of [await group(ben, cat), await oneToOne(ben, cat), den.room_id, '1', 'x', '%00']) {
    const answer = await remove(ann, room, cat.id)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(failure('room_not_found', 'That room does not exist'))
  }
})

test('a one-to-one or house room answers method_not_allowed_on_room_type', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  for (const room of [await oneToOne(ann, ben), den.room_id]) {
    for (const person of [ann, ben]) {
      const answer = await remove(ann, room, person.id)
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(
        failure('method_not_allowed_on_room_type', 'endpoint only callable on private group rooms'),
      )
    }
  }
})

test('a concurrent removal and leave remove the participant once', async () => {
  const [ann, ben] = [await user(), await user()]
  const room = await group(ann, ben)
  const before = published.length
  const answers = await Promise.all([
    remove(ann, room, ben.id),
    call(ben, 'DELETE', `/users/@me/rooms/${room}`),
    remove(ann, room, ben.id),
  ])
  expect(answers.filter((answer) => answer.status < 300)).toHaveLength(1)
  expect(answers.filter((answer) => answer.status >= 500)).toEqual([])
  expect(await participantsOf(room)).toEqual([ann.id])
  expect(published.length).toBe(before + 2)
})
