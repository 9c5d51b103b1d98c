import { expect, test } from 'vitest'
import { epochMs, idTimeMs } from '../../../src/ids.ts'
import { crowd, join, longestProfile } from '../../support/crowds.ts'
import { compactUser } from '../../support/friendships.ts'
import { listRows } from '../../support/messages.ts'
import { noPermission, roomNotFound } from '../../support/permissions.ts'
import { rolesAs } from '../../support/roles.ts'
import { erase, gatewayUser, lastMessageId } from '../../support/rooms.ts'
import { untilWaiting } from '../../support/waiting.ts'
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
} from '../../support/world.ts'

test('sending to a house room returns the gateway form, writes the row, and sends an event', async () => {
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
    author: gatewayUser(bob),
    member: {
      id: bob.id,
      user_id: bob.id,
      house_id: den.id,
      user: gatewayUser(bob),
      roles: await rolesAs(ann, den.id, [baker]),
      presence: 'offline',
      last_permission_update: null,
      joined_at: joined.joined_at.toISOString(),
    },
    content: `hi <@${ann.id}>`,
    timestamp: idTimeMs(data.id),
    mentions: [compactUser(ann)],
    exploding: null,
    exploding_age: null,
    device_id: bob.session_id,
    bucket: Math.floor((data.timestamp - epochMs) / 864_000_000),
    attachment: null,
  })
  expect(await listRows(den.room_id)).toMatchObject([
    { id: data.id, author_id: bob.id, device_id: bob.session_id, mentions: [ann.id], nonce: null },
  ])
  expect(await lastMessageId(den.room_id)).toBe(data.id)
  const mentions = await db.selectFrom('mentions').selectAll().where('message_id', '=', data.id).execute()
  expect(mentions).toEqual([
    { user_id: ann.id, message_id: data.id, room_id: den.room_id, author_id: bob.id, expires_at: null },
  ])
  const read = await db.selectFrom('read_states').selectAll().where('room_id', '=', den.room_id).execute()
  expect(read).toEqual([{ user_id: bob.id, room_id: den.room_id, message_id: data.id }])
  const extension = { reply_to: null, pinned: false }
  expect(published.slice(before)).toEqual([
    {
      type: 'message_created',
      room_id: den.room_id,
      house_id: den.id,
      message_id: data.id,
      message: data,
      extension,
    },
  ])
})

test('in private rooms exploding is false and the member a substitute', async () => {
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
    const read = await db.selectFrom('read_states').selectAll().where('room_id', '=', roomId).execute()
    expect(read).toEqual([{ user_id: ann.id, room_id: roomId, message_id: data.id }])
  }
})

test('mentions are existing readers of the room, each once, in order of first appearance', async () => {
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

test.each([
  'code: `<@ID>`',
  '`` ` <@ID> ``',
  'a\n```js\n<@ID>\n```',
  '~~~\n<@ID>',
  '> ````\n> ```\n> <@ID>',
  '\\<@ID>',
  'https://example.org/?to=<@ID>',
])('%j mentions nobody until the mention stands in plain text', async (form) => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const content = form.replace('ID', bob.id)
  const { data } = (await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })).body
  expect([data.content, data.mentions]).toEqual([content, []])
  expect((await call(bob, 'GET', '/streams/@me/mentions')).body.data).toEqual([])
  const edit = (content: string) =>
    call(ann, 'PATCH', `/rooms/${den.room_id}/messages/${data.id}`, { content })
  expect((await edit(`<@${bob.id}>\n${content}`)).body.data.mentions).toMatchObject([{ id: bob.id }])
  expect((await edit(content)).body.data.mentions).toEqual([])
})

test('of more than fifty mentioned readers the first fifty are recorded', async () => {
  const ann = await user()
  const members = await Promise.all(Array.from({ length: 52 }, () => user()))
  const den = await house({ owner: ann, members })
  const stranger = await user()
  const content = [stranger, ...members].map((one) => `<@${one.id}>`).join('')
  const { data } = (await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })).body
  const first = members.slice(0, 50).map((member) => member.id)
  expect(data.mentions.map((one: { id: string }) => one.id)).toEqual(first)
})

test('sending by a deleted account answers no_auth before the body is checked', async () => {
  const gone = await user()
  await erase(gone)
  const answer = await call(gone, 'POST', '/rooms/1/messages', [])
  expect([answer.status, answer.body]).toEqual([400, noAuth])
})

test('a missing, blank, too long or malformed content answers invalid_schema', async () => {
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

test('unknown fields, such as a message to reply to, are ignored', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const extra = { reply_to: '1', id: '5', author_id: '7', attachment: {} }
  const answer = await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'hi', ...extra })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ author_id: ann.id, attachment: null })
  expect(answer.body.data.id).not.toBe('5')
})

test('an unknown and an unreadable room answer the same room_not_found', async () => {
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

test('a room that is deleted concurrently answers room_not_found', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const [sending] = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('rooms').where('id', '=', den.room_id).execute()
    const sending = call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'hi' })
    await untilWaiting(1)
    return [sending]
  })
  const answer = await sending!
  expect([answer.status, answer.body]).toEqual([404, roomNotFound])
})

test('a reader without SEND_MESSAGES gets no_permission', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const quiet = await houseRoom(den, { default_deny: 1 })
  const answer = await call(bob, 'POST', `/rooms/${quiet}/messages`, { content: 'hi' })
  expect([answer.status, answer.body]).toEqual([400, noPermission])
  expect((await call(ann, 'POST', `/rooms/${quiet}/messages`, { content: 'hi' })).status).toBe(200)
})

test('a block in either direction or a deleted partner answers no_permission, a restriction does not', async () => {
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

test('a message with 50 mentions of the longest profiles stays under 32 KiB', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const others = await crowd(50, longestProfile)
  await join(den, others)
  const content = others.map((id) => `<@${id}>`).join('')
  const answer = await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content })
  expect(answer.body.data.mentions.map((one: { id: string }) => one.id)).toEqual(others)
  expect(Buffer.byteLength(answer.text)).toBeLessThan(32 * 1024)
})
