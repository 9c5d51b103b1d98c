import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { crowd } from '../../support/crowds.ts'
import { erase, gatewayUser, participantsOf } from '../../support/rooms.ts'
import { untilWaiting } from '../../support/waiting.ts'
import {
  block,
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

function add(caller: Person | null, roomId: string, userId: string) {
  return call(caller, 'PUT', `/rooms/${roomId}/recipients/${userId}`)
}

test('a caller who is removed while the request waits gets room_not_found', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben)
  const [adding] = await db.transaction().execute(async (trx) => {
    await sql`select from rooms where id = ${room} for update`.execute(trx)
    const adding = add(ben, room, cat.id)
    await untilWaiting(1)
    await trx.deleteFrom('room_recipients').where('user_id', '=', ben.id).execute()
    return [adding]
  })
  expect((await adding!).body).toEqual(failure('room_not_found', 'That room does not exist'))
  expect(await participantsOf(room)).toEqual([ann.id])
})

test('any participant adds a user at the end of the list, with an event to all', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben)
  const words = await message(room, ann)
  const before = published.length
  const answer = await add(ben, room, cat.id)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({
    id: room,
    house_id: null,
    name: null,
    position: null,
    type: 2,
    emoji: null,
    description: null,
    last_message_id: words,
    permission_overrides: null,
    default_permission_override: null,
    recipients: [gatewayUser(ann), gatewayUser(cat)],
    owner_id: ann.id,
  })
  expect(await participantsOf(room)).toEqual([ann.id, ben.id, cat.id])
  expect(published.slice(before)).toEqual([
    { type: 'private_room_entered', room_id: room, user_id: cat.id },
    { type: 'room_updated', room_id: room, house_id: null, except_user_id: cat.id },
  ])
})

test('adding a participant returns the room and sends no event', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben, cat)
  await block(ben, ann)
  const before = published.length
  for (const person of [ann, ben, cat]) {
    const answer = await add(ann, room, person.id)
    expect(answer.status).toBe(200)
    expect(answer.body.data.recipients).toEqual([gatewayUser(ben), gatewayUser(cat)])
  }
  expect(published.length).toBe(before)
})

test('twelve concurrent additions of a user add them once', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const room = await group(ann, ben)
  const before = published.length
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => add(index % 2 ? ann : ben, room, cat.id)),
  )
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  expect(await participantsOf(room)).toEqual([ann.id, ben.id, cat.id])
  expect(published.length).toBe(before + 2)
})

test('a foreign or unknown room answers room_not_found', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ben })
  for (const room of [await group(ben), await oneToOne(ben, cat), den.room_id, '1', '0', 'x', '%00']) {
    const answer = await add(ann, room, cat.id)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(failure('room_not_found', 'That room does not exist'))
  }
})

test('a one-to-one or house room answers method_not_allowed_on_room_type', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  for (const room of [await oneToOne(ann, ben), den.room_id]) {
    const answer = await add(ann, room, cat.id)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(
      failure('method_not_allowed_on_room_type', 'endpoint only callable on private group rooms'),
    )
  }
})

test('an unknown or deleted user answers user_not_found', async () => {
  const [ann, gone] = [await user(), await user()]
  const room = await group(ann)
  await erase(gone)
  for (const id of [gone.id, '1', '0', 'x', '%00']) {
    const answer = await add(ann, room, id)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('user_not_found', 'That user does not exist'))
  }
})

test('a block in either direction, or a restriction by the other, answers no_permission', async () => {
  const ann = await user()
  const [byMe, byThem, restricting, restricted] = [await user(), await user(), await user(), await user()]
  const room = await group(ann)
  await block(ann, byMe)
  await block(byThem, ann)
  await block(restricting, ann, 4)
  await block(ann, restricted, 4)
  const before = published.length
  for (const person of [byMe, byThem, restricting]) {
    const answer = await add(ann, room, person.id)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('no_permission', 'You do not have permission to do this'))
  }
  expect(published.length).toBe(before)
  expect((await add(ann, room, restricted.id)).status).toBe(200)
})

test('a group has at most 50 participants, also under concurrent additions', async () => {
  const ann = await user()
  const room = await group(ann)
  const people = await crowd(47)
  await db
    .insertInto('room_recipients')
    .values(people.map((user_id) => ({ room_id: room, user_id })))
    .execute()
  const late = await Promise.all(Array.from({ length: 6 }, () => user()))
  const answers = await Promise.all(late.map((person) => add(ann, room, person.id)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 400, 400, 400, 400])
  const refused = answers.find((answer) => answer.status === 400)
  expect(refused?.body).toEqual(failure('limit_reached', 'You have reached a limit (recipients)'))
  expect(await participantsOf(room)).toHaveLength(50)
})
