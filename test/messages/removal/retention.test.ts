import { expect, test } from 'vitest'
import { firstIdAt } from '../../../src/ids.ts'
import { hourMs, oldMessage } from '../../support/old-messages.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { deletionsIn, idsOf, sweep } from '../../support/retention.ts'
import { call, db, group, house, oneToOne, store, user } from '../../support/world.ts'

await ownWorld()

test('a server with MESSAGES_MAX_AGE deletes older messages with mentions and files, in every kind of room', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const rooms = [den.room_id, await group(ann, bob), await oneToOne(ann, bob)]
  const key = 'a'.repeat(32)
  await store.write(`attachments/${den.room_id}/${key}`, Buffer.from('x'))
  const gone = []
  const kept = []
  for (const room of rooms) {
    gone.push(await oldMessage(room, ann, 49, room === den.room_id ? { key } : null))
    kept.push(await oldMessage(room, ann, 47))
  }
  const [message_id] = gone
  await db
    .insertInto('mentions')
    .values({ user_id: bob.id, message_id: message_id!, room_id: den.room_id, author_id: ann.id })
    .execute()
  const deletions = deletionsIn(...rooms)
  const running = await otherApp({ messagesMaxAgeMs: 48 * hourMs })
  await expect.poll(() => deletions.length).toBe(3)
  await expect.poll(() => store.find(`attachments/${den.room_id}/${key}`)).toBeUndefined()
  await running.app.close()
  const deleted = deletions.map((event) => event.type === 'message_deleted' && event.message_id)
  expect(new Set(deleted)).toEqual(new Set(gone))
  expect(deletions).toContainEqual({
    type: 'message_deleted',
    room_id: den.room_id,
    house_id: den.id,
    message_id,
  })
  for (const [index, room] of rooms.entries()) expect(await idsOf(room)).toEqual([kept[index]])
  expect((await call(bob, 'GET', '/streams/@me/mentions')).body.data).toEqual([])
})

test('without the setting messages stay', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const id = await oldMessage(room_id, ann, 100_000)
  const running = await otherApp({})
  await running.call(ann, 'GET', `/rooms/${room_id}/messages`)
  await running.app.close()
  expect(await idsOf(room_id)).toEqual([id])
})

test('a step deletes 200 messages, and the next one goes on in the same room', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  await sweep(48 * hourMs)
  const ids = Array.from({ length: 450 }, (_, n) =>
    String(BigInt(firstIdAt(Date.now() - 50 * hourMs)) + BigInt(n)),
  )
  const row = { room_id, author_id: ann.id, device_id: ann.session_id, content: 'old' }
  await db
    .insertInto('messages')
    .values(ids.map((id) => ({ ...row, id })))
    .execute()
  expect((await sweep(48 * hourMs)).filter((count) => count > 0)).toEqual([200, 200, 50])
  expect(await idsOf(room_id)).toEqual([])
})

test('two sweeps at once delete each message once, and wait for no edit', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  await sweep(48 * hourMs)
  const ids: string[] = []
  for (let n = 0; n < 20; n += 1) ids.push(await oldMessage(room_id, ann, 60))
  await db.transaction().execute(async (trx) => {
    const first = trx.selectFrom('messages').where('room_id', '=', room_id).where('id', '=', ids[0]!)
    await first.select('id').forUpdate().execute()
    const counts = (await Promise.all([sweep(48 * hourMs), sweep(48 * hourMs)])).flat()
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(19)
  })
  expect(await sweep(48 * hourMs)).toContain(1)
})

test('a message can be sent while a sweep has others locked', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  await oldMessage(room_id, ann, 60)
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('messages').select('id').where('room_id', '=', room_id).forUpdate().execute()
    expect((await call(ann, 'POST', `/rooms/${room_id}/messages`, { content: 'new' })).status).toBe(200)
  })
})
