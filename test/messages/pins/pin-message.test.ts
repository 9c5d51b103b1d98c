import { expect, test } from 'vitest'
import { messageNotFound } from '../../support/messages.ts'
import { roomNotFound } from '../../support/permissions.ts'
import { pinScene as scene } from '../../support/pins.ts'
import { call, failure, group, message, user } from '../../support/world.ts'

test('a room has fifty pins at most, also when they are made at once', async () => {
  const { ann, room_id, pin, unpin, pinned } = await scene()
  const ids: string[] = []
  for (let n = 0; n < 52; n += 1) ids.push(await message(room_id, ann))
  for (const id of ids.slice(0, 46)) await pin(id)
  const answers = await Promise.all(ids.slice(46).map((id) => pin(id)))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.map(({ status, body }) => [status, body])).toEqual(
    Array.from({ length: 2 }, () => [400, failure('limit_reached', 'You have reached a limit (pins)')]),
  )
  const listed = await pinned()
  expect(listed).toHaveLength(50)
  expect((await pin(listed[0])).status).toBe(200)
  await call(ann, 'DELETE', `/rooms/${room_id}/messages/${listed[0]}`)
  await unpin(listed[1])
  const missing = ids.filter((id) => !listed.includes(id))
  for (const id of missing) expect((await pin(id)).status).toBe(200)
})

test('every participant of a group may pin', async () => {
  const [ann, bob] = [await user(), await user()]
  const room = await group(ann, bob)
  const id = await message(room, ann)
  expect((await call(bob, 'PUT', `/rooms/${room}/pins/${id}`)).status).toBe(200)
  expect((await call(bob, 'DELETE', `/rooms/${room}/pins/${id}`)).status).toBe(200)
})

test('pinning needs MODERATE_ROOM in a house room', async () => {
  const { ann, bob, room_id, pin } = await scene()
  const answer = await pin(await message(room_id, ann), bob)
  expect(answer.body.error.code).toBe('no_permission')
})

test('a message that is gone or exploded answers message_not_found, and an exploded pin is not listed', async () => {
  const { ann, room_id, pin, unpin, pinned } = await scene()
  const exploded = await message(room_id, ann, { expires_at: new Date(Date.now() - 1) })
  for (const id of ['1', 'x', exploded]) {
    for (const answer of [await pin(id), await unpin(id)]) {
      expect([answer.status, answer.body]).toEqual([404, messageNotFound])
    }
  }
  expect(await pinned()).toEqual([])
})

test('a room that one cannot read answers room_not_found', async () => {
  const { ann, room_id } = await scene()
  const id = await message(room_id, ann)
  const stranger = await user()
  for (const [method, url] of [
    ['PUT', `/rooms/${room_id}/pins/${id}`],
    ['DELETE', `/rooms/${room_id}/pins/${id}`],
    ['GET', `/rooms/${room_id}/pins`],
  ] as const) {
    const answer = await call(stranger, method, url)
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
})
