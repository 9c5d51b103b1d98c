import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { epochMs, idTimeMs } from '../../src/ids.ts'
import { gatewayUserOf, listRows, noPermission, roomNotFound } from '../support/messages.ts'
import { rolesAs } from '../support/roles.ts'
import {
  block,
  call,
  db,
  failure,
  group,
  house,
  houseRoom,
  noAuth,
  oneToOne,
  published,
  role,
  user,
} from '../support/world.ts'

test('sending into a house room answers the gateway form, writes the row, and tells of it', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const baker = await role(den, { position: 1, members: [bob] })
  const before = published.length
  const answer = await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: `hi <@${ann.id}>` })
  expect(answer.status).toBe(200)
  const { data } = answer.body
  const joined = await db
    .selectFrom('members')
    .select('joined_at')
    .where('user_id', '=', bob.id)
    .executeTakeFirstOrThrow()
  expect(data).toEqual({
    id: data.id,
    room_id: den.room_id,
    house_id: den.id,
    author_id: bob.id,
    author: gatewayUserOf(bob),
    member: {
      id: bob.id,
      user_id: bob.id,
      house_id: den.id,
      user: gatewayUserOf(bob),
      roles: await rolesAs(ann, den.id, [baker]),
      presence: 'offline',
      last_permission_update: null,
      joined_at: joined.joined_at.toISOString(),
    },
    content: `hi <@${ann.id}>`,
    timestamp: idTimeMs(data.id),
    mentions: [gatewayUserOf(ann)],
    exploding: null,
    exploding_age: null,
    device_id: bob.session_id,
    bucket: Math.floor((data.timestamp - epochMs) / 864_000_000),
    attachment: null,
  })
  expect(await listRows(den.room_id)).toMatchObject([
    { id: data.id, author_id: bob.id, device_id: bob.session_id, mentions: [ann.id], nonce: null },
  ])
  const room = await db.selectFrom('rooms').selectAll().where('id', '=', den.room_id).executeTakeFirst()
  expect(room?.last_message_id).toBe(data.id)
  const mentions = await db.selectFrom('mentions').selectAll().where('message_id', '=', data.id).execute()
  expect(mentions).toEqual([
    { user_id: ann.id, message_id: data.id, room_id: den.room_id, author_id: bob.id, expires_at: null },
  ])
  const read = await db.selectFrom('read_states').selectAll().where('room_id', '=', den.room_id).execute()
  expect(read).toEqual([{ user_id: bob.id, room_id: den.room_id, message_id: data.id }])
  expect(published.slice(before)).toEqual([
    { type: 'message_created', room_id: den.room_id, house_id: den.id, message: data },
  ])
})

test('in private rooms exploding is false and the member a stand-in', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  for (const roomId of [await oneToOne(ann, bob), await group(bob, ann, cat)]) {
    const { data } = (await call(ann, 'POST', `/rooms/${roomId}/messages`, { content: 'psst' })).body
    expect(data).toMatchObject({ house_id: null, exploding: false, exploding_age: null })
    expect(data.member).toMatchObject({ id: ann.id, house_id: null, roles: [] })
    const entered = await db
      .selectFrom('room_recipients')
      .select('joined_at')
      .where('user_id', '=', ann.id)
      .where('room_id', '=', roomId)
      .executeTakeFirstOrThrow()
    expect(data.member.joined_at).toBe(entered.joined_at.toISOString())
  }
})

test('mentions hold existing readers of the room, each once, in order of first appearance', async () => {
  const [ann, bob, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [bob, cat] })
  const secret = await houseRoom(den, { default_deny: 2 })
  const content = `<@!${cat.id}><@${bob.id}> <@${cat.id}> <@${dan.id}> <@1> <@9999999999999999999> <@${ann.id}>`
  const open = await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })
  expect(open.body.data.mentions.map((one: { id: string }) => one.id)).toEqual([cat.id, bob.id, ann.id])
  const hidden = await call(ann, 'POST', `/rooms/${secret}/messages`, { content })
  expect(hidden.body.data.mentions.map((one: { id: string }) => one.id)).toEqual([ann.id])
  expect(hidden.body.data.content).toBe(content)
})

test('of more than fifty mentioned readers the first fifty are recorded', async () => {
  const ann = await user()
  const members = await Promise.all(Array.from({ length: 52 }, () => user()))
  const den = await house({ owner: ann, members })
  const content = members.map((member) => `<@${member.id}>`).join('')
  const { data } = (await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })).body
  const first = members.slice(0, 50).map((member) => member.id)
  expect(data.mentions.map((one: { id: string }) => one.id)).toEqual(first)
})

test('sending without a token, or with a faulty one, answers no_auth before the body is looked at', async () => {
  const answer = await call(null, 'POST', '/rooms/1/messages', [])
  expect([answer.status, answer.body]).toEqual([400, noAuth])
  const headers = { authorization: 'f'.repeat(128) }
  expect((await call(null, 'POST', '/rooms/1/messages', {}, { headers })).body).toEqual(noAuth)
})

test('a content that is missing, blank, too long or no clean text answers invalid_schema', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const required = failure('invalid_schema', 'Required fields (content) not met')
  for (const content of [undefined, null, 5, '', ' \n', 'a'.repeat(4001), 'a\u0000', '\ud800']) {
    const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, { content })
    expect([answer.status, answer.body]).toEqual([400, required])
  }
  expect(await listRows(room_id)).toEqual([])
  const longest = '🜁'.repeat(4000)
  const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: longest })
  expect(answer.body.data.content).toBe(longest)
})

test('a wrong optional field answers invalid_schema with its name', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  for (const fields of [
    { nonce: '' },
    { nonce: 5 },
    { nonce: 'a'.repeat(65) },
    { exploding: 'yes' },
    { exploding_age: '5' },
  ]) {
    const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'hi', ...fields })
    expect(answer.status).toBe(400)
    const message = `Invalid fields (${Object.keys(fields)[0]})`
    expect(answer.body).toEqual(failure('invalid_schema', message))
  }
})

test('words for what does not exist, and unknown fields, are ignored', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const extra = { reply_to: '1', id: '5', author_id: '7', attachment: {} }
  const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'hi', ...extra })
  expect(answer.body.data).toMatchObject({ author_id: ann.id, attachment: null })
})

test('an unknown room and one the caller cannot read answer alike: room_not_found', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const hidden = await houseRoom(den, { default_deny: 2 })
  const elsewhere = await oneToOne(ann, cat)
  for (const id of ['1', 'x', '0', '9999999999999999999', hidden, elsewhere]) {
    const answer = await call(bob, 'POST', `/rooms/${id}/messages`, { content: 'hi' })
    expect([answer.status, answer.body]).toEqual([404, roomNotFound])
  }
  expect((await call(cat, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hi' })).body).toEqual(
    roomNotFound,
  )
})

test('a reader without SEND_MESSAGES gets no_permission', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const quiet = await houseRoom(den, { default_deny: 1 })
  const answer = await call(bob, 'POST', `/rooms/${quiet}/messages`, { content: 'hi' })
  expect([answer.status, answer.body]).toEqual([400, noPermission])
  expect((await call(ann, 'POST', `/rooms/${quiet}/messages`, { content: 'hi' })).status).toBe(200)
})

test('a block either way, or a deleted partner, closes the one-to-one room; a restriction does not', async () => {
  const [ann, bob, cat, dan] = [await user(), await user(), await user(), await user()]
  const [withBob, withCat, withDan] = [
    await oneToOne(ann, bob),
    await oneToOne(ann, cat),
    await oneToOne(ann, dan),
  ]
  await block(ann, bob)
  await block(ann, cat, 4)
  await db.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', dan.id).execute()
  for (const [caller, roomId] of [
    [ann, withBob],
    [bob, withBob],
    [ann, withDan],
  ] as const) {
    const answer = await call(caller, 'POST', `/rooms/${roomId}/messages`, { content: 'hi' })
    expect([answer.status, answer.body]).toEqual([400, noPermission])
  }
  expect((await call(cat, 'POST', `/rooms/${withCat}/messages`, { content: 'hi' })).status).toBe(200)
})

test('an exploding message says so everywhere and ends at its time', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const roomId of [den.room_id, await oneToOne(ann, bob)]) {
    const body = { content: 'boom', exploding: true, exploding_age: 5 }
    const { data } = (await call(ann, 'POST', `/rooms/${roomId}/messages`, body)).body
    expect(data).toMatchObject({ exploding: true, exploding_age: 5 })
    expect((await listRows(roomId))[0]?.expires_at).toEqual(new Date(data.timestamp + 5000))
  }
})

test('exploding needs an age from 5 s to a week; without it the age is ignored', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const required = failure('invalid_schema', 'Required fields (exploding_age) not met')
  for (const exploding_age of [undefined, null, 4, 604_801, -1]) {
    const body = { content: 'boom', exploding: true, exploding_age }
    const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, body)
    expect([answer.status, answer.body]).toEqual([400, required])
  }
  for (const exploding of [undefined, null, false]) {
    const body = { content: 'calm', exploding, exploding_age: 3 }
    const { data } = (await call(ann, 'POST', `/rooms/${room_id}/messages`, body)).body
    expect(data).toMatchObject({ exploding: null, exploding_age: null })
  }
})

test('an age that exploding needs is a required field, named with the others and before optional ones', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const cases: [object, string][] = [
    [{ content: 'boom', exploding_age: '5' }, 'Required fields (exploding_age) not met'],
    [{ content: 'boom', nonce: '' }, 'Required fields (exploding_age) not met'],
    [{}, 'Required fields (content, exploding_age) not met'],
    [{ exploding_age: 5 }, 'Required fields (content) not met'],
    [{ content: 'boom', exploding_age: 5, nonce: '' }, 'Invalid fields (nonce)'],
  ]
  for (const [fields, message] of cases) {
    const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, { ...fields, exploding: true })
    expect([answer.status, answer.body]).toEqual([400, failure('invalid_schema', message)])
  }
})

test('many sends at once into several rooms give rising ids per room, published in that order', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, () => user()))
  const den = await house({ owner: people[0]!, members: people.slice(1) })
  const rooms = [den.room_id, await houseRoom(den), await houseRoom(den)]
  const before = published.length
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, n) =>
      call(people[n % 8]!, 'POST', `/rooms/${rooms[n % 3]}/messages`, { content: `message ${n}` }),
    ),
  )
  expect(answers.every((answer) => answer.status === 200)).toBe(true)
  for (const roomId of rooms) {
    const events = published.slice(before).filter((event) => 'room_id' in event && event.room_id === roomId)
    const ids = events.map((event) => (event.type === 'message_created' ? event.message.id : ''))
    expect(ids).toEqual((await listRows(roomId)).map((row) => row.id))
    expect(ids).toHaveLength(40)
    const room = await db.selectFrom('rooms').selectAll().where('id', '=', roomId).executeTakeFirst()
    expect(room?.last_message_id).toBe(ids.at(-1))
  }
})

test('an id greater than ours in the room makes the next one greater still', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const ahead = ((BigInt(Date.now() + 60_000 - epochMs) << 22n) | 77n).toString()
  await db.updateTable('rooms').set({ last_message_id: ahead }).where('id', '=', room_id).execute()
  const answers = await Promise.all(
    [1, 2, 3].map((n) => call(ann, 'POST', `/rooms/${room_id}/messages`, { content: `message ${n}` })),
  )
  const ids = answers.map((answer) => BigInt(answer.body.data.id))
  expect(ids.every((id) => id > BigInt(ahead))).toBe(true)
  expect((await listRows(room_id)).map((row) => row.id).sort()).toEqual(ids.map(String).sort())
})

test('one row that the database refuses fails one request only', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  await db.schema.alterTable('messages').addCheckConstraint('no_boom', sql`content <> 'refused'`).execute()
  const contents = ['one', 'two', 'refused', 'three', 'four']
  const answers = await Promise.all(
    contents.map((content) => call(ann, 'POST', `/rooms/${room_id}/messages`, { content })),
  )
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 500, 200, 200])
  expect((await listRows(room_id)).map((row) => row.content).sort()).toEqual(['four', 'one', 'three', 'two'])
  await db.schema.alterTable('messages').dropConstraint('no_boom').execute()
})
