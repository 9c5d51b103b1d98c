import { expect, test } from 'vitest'
import { firstIdAt } from '../../../src/ids.ts'
import { findMessageByNonce } from '../../../src/messages/send/queries.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, house, houseRoom, published, user } from '../../support/world.ts'

const dayMs = 24 * 60 * 60 * 1000

async function den() {
  const [ann, bob] = [await user(), await user()]
  const made = await house({ owner: ann, members: [bob] })
  const send = async (caller: typeof ann, content: string, nonce: string, roomId = made.room_id) => {
    const answer = await call(caller, 'POST', `/rooms/${roomId}/messages`, { content, nonce })
    expect(answer.status).toBe(200)
    return answer.body.data
  }
  const count = async () => {
    const rows = await db.selectFrom('messages').select('id').where('room_id', '=', made.room_id).execute()
    return rows.length
  }
  return { ann, bob, made, send, count }
}

test('fifty concurrent sends with a nonce create one message and return equal responses', async () => {
  const { ann, bob, made, count } = await den()
  const before = published.length
  const body = { content: `hi <@${bob.id}>`, nonce: 'once' }
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => call(ann, 'POST', `/rooms/${made.room_id}/messages`, body)),
  )
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(answers[0]?.status).toBe(200)
  expect(answers[0]?.body.data.mentions[0].id).toBe(bob.id)
  expect(answers[0]?.body.data).not.toHaveProperty('nonce')
  expect(await count()).toBe(1)
  expect(published.length - before).toBe(1)
  const mentions = db.selectFrom('mentions').select('message_id').where('user_id', '=', bob.id)
  expect(await mentions.execute()).toHaveLength(1)
})

test('a repeated nonce returns the first message in its present form', async () => {
  const { ann, send, count } = await den()
  const first = await send(ann, 'first', 'n')
  await db.updateTable('messages').set({ content: 'edited since' }).where('id', '=', first.id).execute()
  expect(await send(ann, 'second', 'n')).toEqual({ ...first, content: 'edited since' })
  expect(await count()).toBe(1)
})

test('a nonce counts per author and room', async () => {
  const { ann, bob, made, send } = await den()
  const ids = [
    await send(ann, 'one', 'n'),
    await send(bob, 'two', 'n'),
    await send(ann, 'three', 'n', await houseRoom(made)),
    await send(ann, 'four', 'other'),
  ].map((message) => message.id)
  expect(new Set(ids).size).toBe(4)
})

test('a nonce is free again after 24 hours, and not a minute before', async () => {
  const { ann, send } = await den()
  for (const [age, isFree] of [
    [dayMs - 60_000, false],
    [dayMs + 60_000, true],
  ] as const) {
    const nonce = `after ${age}`
    const first = await send(ann, 'first', nonce)
    const id = firstIdAt(Date.now() - age)
    await db.updateTable('messages').set({ id }).where('id', '=', first.id).execute()
    const answers = await Promise.all([send(ann, 'second', nonce), send(ann, 'second', nonce)])
    expect(answers.map((answer) => answer.content)).toEqual(
      isFree ? ['second', 'second'] : ['first', 'first'],
    )
    expect(answers[0]?.id).toBe(answers[1]?.id)
  }
})

test('a nonce is free again once its message is deleted or has exploded', async () => {
  const { ann, send } = await den()
  const deleted = await send(ann, 'first', 'n')
  await db.deleteFrom('messages').where('id', '=', deleted.id).execute()
  const second = await send(ann, 'second', 'n')
  expect(second.content).toBe('second')
  const expires_at = new Date(Date.now() - 1)
  await db.updateTable('messages').set({ expires_at }).where('id', '=', second.id).execute()
  expect((await send(ann, 'third', 'n')).content).toBe('third')
})

test('a nonce that another process frees concurrently finds no message', async () => {
  const { ann, made, send } = await den()
  const first = await send(ann, 'first', 'n')
  const id = firstIdAt(Date.now() - dayMs - 60_000)
  await db.updateTable('messages').set({ id }).where('id', '=', first.id).execute()
  const other = await db.startTransaction().execute()
  await other.updateTable('messages').set({ nonce: null }).where('id', '=', id).execute()
  const found = findMessageByNonce(db, { room_id: made.room_id, author_id: ann.id, nonce: 'n' })
  await untilWaiting(1)
  await other.commit().execute()
  expect(await found).toBeUndefined()
})
