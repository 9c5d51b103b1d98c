import { expect, test } from 'vitest'
import { listRows, messageNotFound } from '../support/messages.ts'
import { noPermission, required, roomNotFound, told } from '../support/permissions.ts'
import { call, db, house, houseRoom, message, published, user } from '../support/world.ts'

/** A message of Ann's that mentions Bob, and a function that calls its path. */
async function scene() {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const id = await message(den.room_id, ann, { mentions: [bob] })
  const post = (caller: typeof ann, body?: unknown, at = id) =>
    call(caller, 'POST', `/rooms/${den.room_id}/messages/${at}`, body)
  return { ann, bob, den, id, post }
}

test('a body with content edits, as PATCH does', async () => {
  const { ann, bob, den, id, post } = await scene()
  published.length = 0
  const answer = await post(ann, { content: 'new' })
  expect(answer.status).toBe(200)
  const [row] = await listRows(den.room_id)
  expect(row).toMatchObject({ content: 'new', mentions: [] })
  expect(row?.edited_at?.toISOString()).toBe(answer.body.data.edited_at)
  const place = { room_id: den.room_id, house_id: den.id }
  expect(published).toEqual([
    { type: 'message_updated', ...place, message_id: answer.body.data.id, message: answer.body.data },
    { type: 'read_state_updated', room_id: den.room_id, user_id: bob.id },
  ])
  const again = await call(ann, 'PATCH', `/rooms/${den.room_id}/messages/${id}`, { content: 'new' })
  expect(again.body.data).toEqual({ ...answer.body.data, edited_at: again.body.data.edited_at })
})

test('a body without content marks as read, as the ack route does', async () => {
  for (const body of [undefined, {}, null, { message_id: '5' }]) {
    const { bob, den, id, post } = await scene()
    published.length = 0
    const answer = await post(bob, body)
    const data = { room_id: den.room_id, message_id: id, mention_count: 0 }
    expect([answer.status, answer.body]).toEqual([200, { success: true, data }])
    await expect
      .poll(() => published)
      .toEqual([{ type: 'read_state_updated', user_id: bob.id, room_id: data.room_id }])
    const states = db.selectFrom('read_states').selectAll().where('user_id', '=', bob.id)
    expect(await states.execute()).toEqual([{ user_id: bob.id, room_id: den.room_id, message_id: id }])
    expect(await listRows(den.room_id)).toMatchObject([{ content: 'hello', edited_at: null }])
  }
})

test('a wrong content answers invalid_schema and does not mark as read', async () => {
  const { ann, den, post } = await scene()
  for (const content of [null, 5, ' ', 'a'.repeat(4001), 'a\u0000']) {
    expect(told(await post(ann, { content }))).toEqual([400, required('content')])
  }
  const states = db.selectFrom('read_states').selectAll().where('room_id', '=', den.room_id)
  expect(await states.execute()).toEqual([])
})

test('editing a message of another user answers no_permission', async () => {
  const { bob, den, post } = await scene()
  expect(told(await post(bob, { content: 'mine' }))).toEqual([400, noPermission])
  expect(await listRows(den.room_id)).toMatchObject([{ content: 'hello' }])
})

test('an unknown message answers message_not_found in both cases', async () => {
  const { ann, den, post } = await scene()
  const elsewhere = await message(await houseRoom(den), ann)
  for (const at of ['x', '0', elsewhere]) {
    expect(told(await post(ann, { content: 'new' }, at))).toEqual([404, messageNotFound])
    expect(told(await post(ann, {}, at))).toEqual([404, messageNotFound])
  }
})

test('a room the caller cannot read answers room_not_found in both cases', async () => {
  const [{ id, post }, stranger] = [await scene(), await user()]
  for (const body of [{ content: 'new' }, {}]) {
    expect(told(await post(stranger, body))).toEqual([404, roomNotFound])
    expect(told(await call(stranger, 'POST', `/rooms/x/messages/${id}`, body))).toEqual([404, roomNotFound])
  }
})
