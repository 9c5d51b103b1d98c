import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { compactUser } from '../support/friendships.ts'
import { attach } from '../support/houses.ts'
import { listRows, messageNotFound } from '../support/messages.ts'
import { noPermission, roomNotFound, told } from '../support/permissions.ts'
import { erase } from '../support/rooms.ts'
import { untilWaiting } from '../support/waiting.ts'
import {
  block,
  call,
  db,
  failure,
  group,
  house,
  houseRoom,
  message,
  oneToOne,
  published,
  role,
  user,
} from '../support/world.ts'

const required = failure('invalid_schema', 'Required fields (content) not met')

test('editing returns the edited gateway form, changes the row, and sends an event', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  await role(den, { members: [bob] })
  const sent = await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'frist' })
  const before = published.length
  const url = `/rooms/${den.room_id}/messages/${sent.body.data.id}`
  const answer = await call(bob, 'PATCH', url, { content: `first <@${ann.id}>` })
  expect(answer.status).toBe(200)
  const { edited_at } = answer.body.data
  const changed = { content: `first <@${ann.id}>`, mentions: [compactUser(ann)] }
  expect(answer.body.data).toEqual({
    ...sent.body.data,
    ...changed,
    edited_at,
    embed: null,
    metadata: null,
  })
  expect(edited_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const [row] = await listRows(den.room_id)
  expect(row).toMatchObject({ content: `first <@${ann.id}>`, mentions: [ann.id] })
  expect(row?.edited_at?.toISOString()).toBe(edited_at)
  expect(published.slice(before)).toEqual([
    {
      type: 'message_updated',
      room_id: den.room_id,
      house_id: den.id,
      message_id: answer.body.data.id,
      message: answer.body.data,
    },
    { type: 'read_state_updated', room_id: den.room_id, user_id: ann.id },
  ])
})

test('an edit replaces the mentions', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob, cat] })
  const send = { content: `<@${bob.id}> <@${cat.id}>` }
  const { id } = (await call(ann, 'POST', `/rooms/${room_id}/messages`, send)).body.data
  const mentioned = async () => {
    const rows = await db.selectFrom('mentions').select('user_id').where('message_id', '=', id).execute()
    return rows.map((row) => row.user_id).sort()
  }
  await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: `<@${ann.id}> <@${cat.id}>` })
  expect(await mentioned()).toEqual([ann.id, cat.id].sort())
  await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: 'nobody' })
  expect(await mentioned()).toEqual([])
})

test('an edit does not mention a deleted user', async () => {
  const [ann, bob] = [await user(), await user()]
  const roomId = await oneToOne(ann, bob)
  const id = await message(roomId, ann)
  await erase(bob)
  const answer = await call(ann, 'PATCH', `/rooms/${roomId}/messages/${id}`, { content: `<@${bob.id}>` })
  expect([answer.status, answer.body.data.mentions]).toEqual([200, []])
})

test('concurrent edits leave mentions that match the content', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => user()))
  const [ann] = people as [(typeof people)[number]]
  const { room_id } = await house({ owner: ann, members: people.slice(1) })
  const id = await message(room_id, ann)
  const edits = people.map((person) =>
    call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: `<@${person.id}>` }),
  )
  expect((await Promise.all(edits)).map((answer) => answer.status)).toEqual(people.map(() => 200))
  const [row] = await listRows(room_id)
  const mentions = await db.selectFrom('mentions').select('user_id').where('message_id', '=', id).execute()
  expect(mentions.map((mention) => mention.user_id)).toEqual(row?.mentions)
})

test('edited_at of an edit that waited for another is later', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const first = await db.transaction().execute(async (trx) => {
    const edited = sql<Date>`statement_timestamp()`
    const own = trx.selectFrom('messages').where('room_id', '=', room_id).where('id', '=', id)
    const locked = own.select('id').forUpdate()
    await locked.execute()
    const second = call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: 'second' })
    await untilWaiting(1)
    const change = trx
      .updateTable('messages')
      .set({ content: 'first', edited_at: edited })
      .where('room_id', '=', room_id)
      .where('id', '=', id)
    const row = await change.returning('edited_at').executeTakeFirstOrThrow()
    return { edited_at: row.edited_at!.toISOString(), second }
  })
  const { data } = (await first.second).body
  expect(data.content).toBe('second')
  expect(data.edited_at >= first.edited_at).toBe(true)
})

test('edited_at never decreases', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const edited_at = new Date(Date.now() + 60_000)
  await db.updateTable('messages').set({ edited_at }).where('id', '=', id).execute()
  const answer = await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: 'new' })
  expect(answer.body.data).toMatchObject({ content: 'new', edited_at: edited_at.toISOString() })
})

test('an edit keeps the end of an exploding message', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const expires_at = new Date(Date.now() + 60_000)
  const id = await message(room_id, ann, { expires_at })
  const answer = await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: 'new' })
  expect(answer.body.data).toMatchObject({ exploding: true, exploding_age: 5 })
  expect((await listRows(room_id))[0]?.expires_at).toEqual(expires_at)
})

test('only a message with an attachment may have blank content', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const edit = () => call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: '' })
  expect((await edit()).body).toEqual(required)
  await attach(room_id, id)
  expect((await edit()).body.data.content).toBe('')
})

test('a wrong content answers invalid_schema and changes nothing', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  for (const content of [null, 5, ' ', 'a'.repeat(4001), 'a\u0000']) {
    const answer = await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content })
    expect([answer.status, answer.body]).toEqual([400, required])
  }
  expect((await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, {})).body).toEqual(required)
  expect(await listRows(room_id)).toMatchObject([{ content: 'hello', edited_at: null }])
})

test('editing a message of another user answers no_permission, for moderators and the owner too', async () => {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob] })
  const id = await message(room_id, bob)
  const answer = await call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: 'mine' })
  expect([answer.status, answer.body]).toEqual([400, noPermission])
})

test('the author may edit in a readable room without permission to send', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const id = await message(den.room_id, bob)
  const edit = () => call(bob, 'PATCH', `/rooms/${den.room_id}/messages/${id}`, { content: 'late' })
  await db.updateTable('rooms').set({ default_deny: 1 }).where('id', '=', den.room_id).execute()
  expect((await edit()).status).toBe(200)
  await db.updateTable('rooms').set({ default_deny: 2 }).where('id', '=', den.room_id).execute()
  expect((await edit()).body).toEqual(roomNotFound)
})

test('in a one-to-one room with a block editing answers no_permission and sends no event', async () => {
  for (const blocks of ['author', 'other'] as const) {
    const [ann, bob] = [await user(), await user()]
    const roomId = await oneToOne(ann, bob)
    const id = await message(roomId, ann, { content: 'kind', mentions: [bob] })
    await (blocks === 'author' ? block(ann, bob) : block(bob, ann))
    const before = published.length
    for (const method of ['PATCH', 'POST'] as const) {
      const edit = { content: `<@${ann.id}> no` }
      const answer = await call(ann, method, `/rooms/${roomId}/messages/${id}`, edit)
      expect(told(answer)).toEqual([400, noPermission])
    }
    expect(await listRows(roomId)).toMatchObject([{ content: 'kind', mentions: [bob.id], edited_at: null }])
    const mentions = await db.selectFrom('mentions').selectAll().where('message_id', '=', id).execute()
    expect(mentions.map((mention) => mention.user_id)).toEqual([bob.id])
    expect(published.slice(before)).toEqual([])
  }
})

test('with a restriction in a one-to-one room, or a block in a group, the author may edit', async () => {
  const [ann, bob, cat] = [await user(), await user(), await user()]
  const [pair, trio] = [await oneToOne(ann, bob), await group(cat, ann, bob)]
  const ids = [await message(pair, ann), await message(trio, ann)]
  await block(bob, ann, 4)
  const edit = (roomId: string, id: string) =>
    call(ann, 'PATCH', `/rooms/${roomId}/messages/${id}`, { content: 'new' })
  expect((await edit(pair, ids[0]!)).status).toBe(200)
  await db.updateTable('blocks').set({ type: 5 }).where('user_id', '=', bob.id).execute()
  expect((await edit(trio, ids[1]!)).status).toBe(200)
  expect((await edit(pair, ids[0]!)).body).toEqual(noPermission)
})

test('an unknown, foreign or exploded message answers message_not_found', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann })
  const elsewhere = await message(await houseRoom(den), ann)
  const exploded = await message(den.room_id, ann, { expires_at: new Date(Date.now() - 1) })
  for (const id of ['1', 'x', elsewhere, exploded]) {
    const answer = await call(ann, 'PATCH', `/rooms/${den.room_id}/messages/${id}`, { content: 'new' })
    expect([answer.status, answer.body]).toEqual([404, messageNotFound])
  }
  const foreign = await oneToOne(ann, bob)
  const cat = await user()
  const id = await message(foreign, ann)
  const answer = await call(cat, 'PATCH', `/rooms/${foreign}/messages/${id}`, { content: 'new' })
  expect([answer.status, answer.body]).toEqual([404, roomNotFound])
})

test('a message that is deleted while it is edited answers message_not_found', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await message(room_id, ann)
  const [asking] = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('messages').where('id', '=', id).execute()
    const asked = call(ann, 'PATCH', `/rooms/${room_id}/messages/${id}`, { content: 'late' })
    await untilWaiting(1)
    return [asked]
  })
  expect(await asking).toMatchObject({ status: 404, body: messageNotFound })
})
