import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { epochMs, firstIdAt, newId } from '../../../src/ids.ts'
import { listIds, refusesWrongPages } from '../../support/messages.ts'
import { untilWaiting } from '../../support/waiting.ts'
import {
  block,
  call,
  db,
  house,
  houseRoom,
  message,
  oneToOne,
  type Person,
  user,
} from '../../support/world.ts'

const idsFor = (caller: Person, query = '') => listIds(caller, `/streams/@me/feed${query}`)

test('the feed lists messages of all readable house rooms, newest first, without private rooms', async () => {
  const [ann, bob] = [await user(), await user()]
  const [den, other] = [await house({ owner: ann, members: [bob] }), await house({ owner: bob })]
  const foreign = await house({ owner: ann })
  const hidden = await houseRoom(den, { default_deny: 2 })
  const first = await message(den.room_id, ann)
  for (const roomId of [foreign.room_id, hidden, await oneToOne(ann, bob)]) await message(roomId, ann)
  const second = await message(other.room_id, bob)
  const third = await message(await houseRoom(den), bob)
  expect(await idsFor(bob)).toEqual([third, second, first])
  const answer = await call(bob, 'GET', '/streams/@me/feed')
  expect(answer.body.data[2]).toEqual(
    (await call(bob, 'GET', `/rooms/${den.room_id}/messages/${first}`)).body.data,
  )
})

test('without rooms, and without messages, the feed is empty', async () => {
  const ann = await user()
  expect(await idsFor(ann)).toEqual([])
  await house({ owner: ann })
  expect(await idsFor(ann)).toEqual([])
})

test('messages of blocked and restricted users, and exploded ones, are omitted', async () => {
  const [ann, bob, cat, dan] = [await user(), await user(), await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob, cat, dan] })
  await block(bob, cat, 5)
  await block(bob, dan, 4)
  for (const author of [cat, dan]) await message(room_id, author)
  await message(room_id, ann, { expires_at: new Date(Date.now() - 1) })
  const kept = [await message(room_id, ann), await message(room_id, bob)].reverse()
  expect(await idsFor(bob)).toEqual(kept)
})

test('pages by limit, before, after and around, over messages years apart', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const rooms = [den.room_id, await houseRoom(den)]
  // Rooms as old as the oldest message.
  const hourMs = 3_600_000
  const agesMs = [
    0,
    1,
    2,
    hourMs * 5,
    hourMs * 50,
    hourMs * 51,
    hourMs * 5_000,
    hourMs * 50_000,
    hourMs * 50_001,
  ]
  const ids = agesMs.map((age) => firstIdAt(Date.now() - age))
  const old = rooms.map((_room, n) => firstIdAt(epochMs + 1 + n))
  for (const [n, roomId] of rooms.entries()) {
    await db.deleteFrom('entity_rooms').where('room_id', '=', roomId).execute()
    await db.deleteFrom('room_heads').where('room_id', '=', roomId).execute()
    await db.updateTable('rooms').set({ id: old[n]! }).where('id', '=', roomId).execute()
    await db.insertInto('room_heads').values({ room_id: old[n]!, last_message_id: ids[n]! }).execute()
  }
  await db
    .insertInto('messages')
    .values(
      ids.map((id, n) => ({
        id,
        room_id: old[n % 2]!,
        house_id: den.id,
        author_id: ann.id,
        device_id: '1',
        content: `${n}`,
      })),
    )
    .execute()
  expect(await idsFor(ann)).toEqual(ids)
  expect(await idsFor(ann, '?limit=2')).toEqual(ids.slice(0, 2))
  expect(await idsFor(ann, '?limit=5')).toEqual(ids.slice(0, 5))
  expect(await idsFor(ann, `?limit=4&after=${ids[8]}`)).toEqual(ids.slice(4, 8))
  expect(await idsFor(ann, `?limit=3&before=${ids[3]}`)).toEqual(ids.slice(4, 7))
  expect(await idsFor(ann, `?limit=3&after=${ids[6]}`)).toEqual(ids.slice(3, 6))
  expect(await idsFor(ann, `?limit=5&around=${ids[4]}`)).toEqual(ids.slice(2, 7))
  expect(await idsFor(ann, `?limit=1&around=${ids[4]}`)).toEqual([ids[4]])
  expect(await idsFor(ann, '?limit=2&after=0')).toEqual(ids.slice(7))
  expect(await idsFor(ann, `?before=9223372036854775807`)).toEqual(ids)
  expect(await idsFor(ann, `?after=9223372036854775807`)).toEqual([])
  expect(await idsFor(ann, '?before=0')).toEqual([])
})

test('a message older than its room, after a clock step, is in the feed', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await db.deleteFrom('entity_rooms').where('room_id', '=', den.room_id).execute()
  const roomId = firstIdAt(Date.now() + 3_600_000)
  // Ids of the future would be exceeded by all that is made after the next start of a process.
  onTestFinished(async () => void (await db.deleteFrom('rooms').where('id', '=', roomId).execute()))
  await db.deleteFrom('room_heads').where('room_id', '=', den.room_id).execute()
  await db.updateTable('rooms').set({ id: roomId }).where('id', '=', den.room_id).execute()
  await db.insertInto('room_heads').values({ room_id: roomId }).execute()
  const id = (await call(ann, 'POST', `/rooms/${roomId}/messages`, { content: 'earlier' })).body.data.id
  for (const page of ['', '?after=0', `?around=${id}`]) expect(await idsFor(ann, page)).toEqual([id])
})

test('a page is full after many messages that the caller may not see, in either direction', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [bob, cat] })
  await block(bob, cat)
  const hidden = await houseRoom(den, { default_deny: 2 })
  const seen: string[] = []
  for (let part = 0; part < 3; part += 1) {
    seen.push(await message(den.room_id, ann))
    const unseen = Array.from({ length: 1_500 }, (_none, n) => {
      const [room_id, author] = n % 3 === 0 ? [den.room_id, cat] : [hidden, ann]
      return { room_id, house_id: den.id, id: newId(), author_id: author.id, device_id: '1', content: 'x' }
    })
    await db.insertInto('messages').values(unseen).execute()
    seen.push(await message(den.room_id, ann))
  }
  expect(await idsFor(bob, '?limit=4')).toEqual(seen.slice(2).reverse())
  expect(await idsFor(bob, '?limit=5&after=0')).toEqual(seen.slice(0, 5).reverse())
  expect(await idsFor(bob)).toEqual([...seen].reverse())
})

test('a sent message is in the feed, one of a private room is not', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const send = async (room: string) =>
    (await call(ann, 'POST', `/rooms/${room}/messages`, { content: 'x' })).body.data.id
  const id = await send(den.room_id)
  await send(await oneToOne(ann, bob))
  expect(await idsFor(bob)).toEqual([id])
})

test('slow feeds leave connections to other requests, and those of one user and their bots a slot to others', async () => {
  const [ann, bob] = [await user(), await user()]
  const own = [ann, await user({ bot_of: ann }), await user({ bot_of: ann })]
  const den = await house({ owner: ann, members: [bob, ...own.slice(1)] })
  await message(den.room_id, ann)
  const ask = async (caller: Person) => (await call(caller, 'GET', '/streams/@me/feed')).status
  const feeds = await db.transaction().execute(async (trx) => {
    await sql`lock table messages in access exclusive mode`.execute(trx)
    const statuses: number[] = []
    const asked = Array.from({ length: 70 }, async (_, n) => statuses.push(await ask(own[n % 3]!)))
    // One runs, and 64 wait.
    await expect.poll(() => statuses).toEqual(Array(5).fill(503))
    const other = ask(bob)
    await untilWaiting(2)
    expect((await call(ann, 'GET', '/users/@me')).status).toBe(200)
    return { asked: Promise.all(asked).then(() => statuses), other }
  })
  expect(await feeds.other).toBe(200)
  expect((await feeds.asked).filter((status) => status === 200)).toHaveLength(65)
})

test('a malformed page answers invalid_schema with the name of the parameter', async () => {
  await refusesWrongPages(await user(), '/streams/@me/feed')
})
