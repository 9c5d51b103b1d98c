import { expect, test } from 'vitest'
import { groups } from '../../support/crowds.ts'
import { lastMessageId, participantsOf, roomRow } from '../../support/rooms.ts'
import { untilDiscarded } from '../../support/store.ts'
import { whileFileIsSent } from '../../support/waiting.ts'
import {
  call,
  db,
  failure,
  group,
  house,
  message,
  oneToOne,
  type Person,
  published,
  user,
} from '../../support/world.ts'

const notAGroup = failure('method_not_allowed_on_room_type', 'endpoint only callable on private group rooms')

function leave(caller: Person | null, roomId: string) {
  return call(caller, 'DELETE', `/users/@me/rooms/${roomId}`)
}

test('leaving answers 204 without body and type, keeps messages, and sends events to all', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben, cat)
  const words = await message(room, ben)
  const before = published.length
  const answer = await leave(ben, room)
  expect(answer.status).toBe(204)
  expect(answer.text).toBe('')
  expect(answer.headers['content-type']).toBeUndefined()
  expect(await participantsOf(room)).toEqual([ann.id, cat.id])
  expect(await roomRow(room)).toMatchObject({ owner_id: ann.id })
  expect(await lastMessageId(room)).toBe(words)
  expect(published.slice(before)).toEqual([
    { type: 'private_room_left', room_id: room, user_id: ben.id },
    { type: 'room_updated', room_id: room, house_id: null },
  ])
})

test('when the owner leaves, the longest-standing participant becomes owner, people before bots', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const bot = await user({ bot_of: ann })
  const room = await group(ann, bot, cat, ben)
  await leave(ann, room)
  expect((await roomRow(room))?.owner_id).toBe(cat.id)
  await leave(cat, room)
  expect((await roomRow(room))?.owner_id).toBe(ben.id)
  await leave(ben, room)
  expect((await roomRow(room))?.owner_id).toBe(bot.id)
})

test('ownership passes to a user at the limit of groups, and counts for them', async () => {
  const [ann, ben] = [await user(), await user()]
  await groups(ben, [], 200)
  const id = await group(ann, ben)
  expect((await leave(ann, id)).status).toBe(204)
  expect((await roomRow(id))?.owner_id).toBe(ben.id)
  await db.deleteFrom('rooms').where('owner_id', '=', ben.id).where('id', '<>', id).execute()
  await groups(ben, [], 199)
  const create = await call(ben, 'POST', '/users/@me/rooms', { recipients: [ann.id] })
  expect(create.body).toEqual(failure('limit_reached', 'You have reached a limit (groups)'))
})

test('when another participant leaves, the owner stays owner', async () => {
  const [ann, ben] = [await user(), await user()]
  const bot = await user({ bot_of: ann })
  const room = await group(bot, ann, ben)
  await leave(ben, room)
  expect((await roomRow(room))?.owner_id).toBe(bot.id)
})

test("the last participant's leaving deletes room, messages, mentions and files", async () => {
  const [ann, ben] = [await user(), await user()]
  const room = await group(ann)
  await message(room, ann, { mentions: [ben] })
  const withFile = await message(room, ann)
  const attachment = JSON.stringify({ key: 'k', filename: 'f', content_type: 't', size: 1 })
  await db.updateTable('messages').set({ attachment }).where('id', '=', withFile).execute()
  const before = published.length
  expect((await leave(ann, room)).status).toBe(204)
  expect(await roomRow(room)).toBeUndefined()
  await untilDiscarded(`attachments/${room}/k`)
  for (const table of ['messages', 'mentions', 'room_recipients'] as const) {
    expect(await db.selectFrom(table).selectAll().where('room_id', '=', room).execute()).toEqual([])
  }
  expect(published.slice(before)).toEqual([{ type: 'private_room_left', room_id: room, user_id: ann.id }])
})

test('the file of a message sent while the last participant leaves is discarded', async () => {
  const ann = await user()
  const room = await group(ann)
  const { answer, file } = await whileFileIsSent(room, ann, () => leave(ann, room))
  expect(answer.status).toBe(204)
  await untilDiscarded(file)
})

test('any other room answers method_not_allowed_on_room_type and changes nothing', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  const pair = await oneToOne(ann, ben)
  const foreign = await group(ben, cat)
  const before = published.length
  for (const room of [
    den.room_id,
    pair,
    foreign,
    ann.id,
    '1',
    '0',
    '-1',
    'x',
    '99999999999999999999',
    '%00',
  ]) {
    const answer = await leave(ann, room)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(notAGroup)
  }
  expect(await participantsOf(pair)).toEqual([ann.id, ben.id])
  expect(await participantsOf(foreign)).toEqual([ben.id, cat.id])
  expect(published.length).toBe(before)
})

test('leaving again answers method_not_allowed_on_room_type', async () => {
  const [ann, ben] = [await user(), await user()]
  const room = await group(ann, ben)
  expect((await leave(ben, room)).status).toBe(204)
  expect((await leave(ben, room)).body).toEqual(notAGroup)
})

test('when all leave concurrently, each leaves once, and the room is deleted', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, () => user()))
  const room = await group(people[0]!, ...people.slice(1))
  const before = published.length
  const answers = await Promise.all([...people, ...people].map((person) => leave(person, room)))
  const statuses = answers.map((answer) => answer.status).sort()
  expect(statuses).toEqual([...Array(8).fill(204), ...Array(8).fill(400)])
  expect(await roomRow(room)).toBeUndefined()
  const events = published.slice(before)
  expect(events.filter((event) => event.type === 'private_room_left')).toHaveLength(8)
  expect(events.filter((event) => event.type === 'room_updated')).toHaveLength(7)
})

test('any body is accepted', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben, cat)
  const headers = { 'content-type': 'application/json' }
  const empty = await call(ben, 'DELETE', `/v1/users/@me/rooms/${room}`, undefined, { headers })
  expect(empty.status).toBe(204)
  const broken = await call(cat, 'DELETE', `/users/@me/rooms/${room}`, undefined, { headers, payload: '{x' })
  expect(broken.status).toBe(204)
})
