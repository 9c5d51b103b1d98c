import { expect, test } from 'vitest'
import { idTimeMs } from '../../../src/ids.ts'
import { compactUser } from '../../support/friendships.ts'
import { listIds, refusesWrongPages } from '../../support/messages.ts'
import { roomNotFound } from '../../support/permissions.ts'
import { block, call, db, group, house, houseRoom, message, user } from '../../support/world.ts'

test('messages have the list form, newest first', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const content = `<@${bob.id}> <@${ann.id}>`
  const first = await message(den.room_id, ann, { content, mentions: [bob, ann] })
  const second = await message(den.room_id, bob)
  await db
    .updateTable('messages')
    .set({ edited_at: new Date('2026-01-02T03:04:05.678Z') })
    .where('id', '=', first)
    .execute()
  const answer = await call(bob, 'GET', `/rooms/${den.room_id}/messages`)
  expect(answer.status).toBe(200)
  expect(answer.body.data.map((one: { id: string }) => one.id)).toEqual([second, first])
  expect(answer.body.data[1]).toEqual({
    id: first,
    room_id: den.room_id,
    author_id: ann.id,
    content,
    device_id: ann.session_id,
    bucket: Math.floor((idTimeMs(first) - 1562544000000) / 864_000_000),
    type: 0,
    timestamp: new Date(idTimeMs(first)).toISOString(),
    edited_at: '2026-01-02T03:04:05.678Z',
    author: compactUser(ann),
    mentions: [compactUser(bob), compactUser(ann)],
    attachment: null,
    embed: {},
    metadata: null,
    exploding: false,
    exploding_age: null,
  })
})

test('pages by limit, before, after and around, whether the id exists or not', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const ids: string[] = []
  for (let n = 0; n < 9; n += 1) ids.unshift(await message(room_id, ann))
  const list = (query: string) => listIds(ann, `/rooms/${room_id}/messages${query}`)
  expect(await list('')).toEqual(ids)
  expect(await list('?limit=2')).toEqual(ids.slice(0, 2))
  expect(await list(`?limit=3&before=${ids[3]}`)).toEqual(ids.slice(4, 7))
  expect(await list(`?limit=3&after=${ids[6]}`)).toEqual(ids.slice(3, 6))
  expect(await list(`?limit=5&around=${ids[4]}`)).toEqual(ids.slice(2, 7))
  expect(await list(`?limit=1&around=${ids[4]}`)).toEqual([ids[4]])
  expect(await list('?limit=2&after=0')).toEqual(ids.slice(7))
  expect(await list('?before=1')).toEqual([])
  await db.deleteFrom('messages').where('id', '=', ids[4]!).execute()
  expect(await list(`?limit=4&around=${ids[4]}`)).toEqual([ids[2], ids[3], ids[5], ids[6]])
})

test('a malformed page answers invalid_schema with the name of the parameter', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  await refusesWrongPages(ann, `/rooms/${room_id}/messages`)
})

test('a user added to a group sees the whole history, messages of blocked users included', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  const roomId = await group(ann, bob)
  await block(cat, bob)
  const ids = [await message(roomId, ann), await message(roomId, bob)].reverse()
  await db.insertInto('room_recipients').values({ room_id: roomId, user_id: cat.id }).execute()
  expect(await listIds(cat, `/rooms/${roomId}/messages`)).toEqual(ids)
})

test('a message that has exploded is in no page', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  await message(room_id, ann, { expires_at: new Date(Date.now() - 1) })
  const alive = await message(room_id, ann, { expires_at: new Date(Date.now() + 60_000) })
  for (const query of ['', '?after=0', `?before=${BigInt(alive) + 1n}`, `?around=${alive}`]) {
    expect(await listIds(ann, `/rooms/${room_id}/messages${query}`)).toEqual([alive])
  }
})

test('an unknown and an unreadable room answer the same room_not_found', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const hidden = await houseRoom(den, { default_deny: 2 })
  const elsewhere = await group(ann, cat)
  for (const id of ['1', 'x', hidden, elsewhere]) {
    const answer = await call(bob, 'GET', `/rooms/${id}/messages`)
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
  expect((await call(cat, 'GET', `/rooms/${den.room_id}/messages`)).body).toEqual(roomNotFound)
})
