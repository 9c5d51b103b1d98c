import { expect, test } from 'vitest'
import { messageNotFound, refusesStrangers } from '../../support/messages.ts'
import { roomNotFound } from '../../support/permissions.ts'
import { call, failure, group, house, message, type Person, user } from '../../support/world.ts'

async function scene() {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob] })
  const pin = (id: string, person: Person = ann) => call(person, 'PUT', `/rooms/${room_id}/pins/${id}`)
  const unpin = (id: string) => call(ann, 'DELETE', `/rooms/${room_id}/pins/${id}`)
  const pinned = async () =>
    (await call(bob, 'GET', `/rooms/${room_id}/pins`)).body.data.map((one: { id: string }) => one.id)
  return { ann, bob, room_id, pin, unpin, pinned }
}

test('pinned messages are listed in extended form, latest pin first', async () => {
  const { ann, bob, room_id, pin, unpin, pinned } = await scene()
  const ids = [await message(room_id, ann), await message(room_id, bob), await message(room_id, ann)]
  for (const id of [ids[1]!, ids[2]!, ids[0]!]) {
    expect((await pin(id)).body.data).toEqual({ room_id, message_id: id, pinned: true })
  }
  expect(await pinned()).toEqual([ids[0], ids[2], ids[1]])
  await pin(ids[1]!)
  expect(await pinned()).toEqual([ids[0], ids[2], ids[1]])
  expect((await unpin(ids[2]!)).body.data).toEqual({ room_id, message_id: ids[2], pinned: false })
  expect((await unpin(ids[2]!)).status).toBe(200)
  expect(await pinned()).toEqual([ids[0], ids[1]])
  const [first] = (await call(bob, 'GET', `/rooms/${room_id}/pins`)).body.data
  const single = await call(bob, 'GET', `/rooms/${room_id}/messages/${ids[0]}?extended=true`)
  expect(first).toEqual(single.body.data)
  expect(first).toMatchObject({ pinned: true, reactions: [], reply_to: null })
})

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

test('a room that one cannot read answers room_not_found, a request without a token no_auth', async () => {
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
    await refusesStrangers(method, url)
  }
})
