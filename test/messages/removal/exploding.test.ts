import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../../src/app.ts'
import type { HearthEvent } from '../../../src/events/events.ts'
import { deleteExploded, startSweeping } from '../../../src/messages/removal/explosion-operations.ts'
import { newBus } from '../../support/bus.ts'
import { listRows } from '../../support/messages.ts'
import { filePart, multipart } from '../../support/multipart.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { app, bus, config, db, house, message, published, store, user } from '../../support/world.ts'

await ownWorld()

// No automatic sweep: the tests call it.
await app.close()

test('an expired message is deleted with mentions and file, and sends an event', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const running = await otherApp({})
  const parts = [filePart('x'), { name: 'exploding', value: 'true' }, { name: 'exploding_age', value: '60' }]
  const content = { name: 'content', value: `<@${bob.id}>` }
  const url = `/rooms/${den.room_id}/media_messages`
  const { data } = (await running.call(ann, 'POST', url, undefined, multipart(...parts, content))).body
  const file = `attachments/${den.room_id}/${data.attachment.media_url.slice(-32)}`
  expect(await store.find(file)).toBeDefined()
  const expires_at = new Date()
  await db.updateTable('messages').set({ expires_at }).where('id', '=', data.id).execute()
  const event = { type: 'message_deleted', room_id: den.room_id, house_id: den.id, message_id: data.id }
  await expect.poll(() => published).toContainEqual(event)
  expect(await listRows(den.room_id)).toEqual([])
  expect(await db.selectFrom('mentions').selectAll().where('message_id', '=', data.id).execute()).toEqual([])
  await expect.poll(() => store.find(file)).toBeUndefined()
  await running.app.close()
})

test('a message that expired while no process ran is not returned, and deleted at the next start', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const id = await message(den.room_id, ann, { expires_at: new Date(Date.now() - 60_000) })
  const { bus, presences, close } = await newBus()
  onTestFinished(close)
  const events: HearthEvent[] = []
  bus.subscribe((event) => {
    events.push(event)
  })
  const next = await buildApp({ config, db, store, bus, presences })
  const reply = await next.inject({
    url: `/rooms/${den.room_id}/messages`,
    headers: { authorization: ann.token },
  })
  expect(reply.json().data).toEqual([])
  const event = { type: 'message_deleted', room_id: den.room_id, house_id: den.id, message_id: id }
  await expect.poll(() => events).toContainEqual(event)
  expect(await listRows(den.room_id)).toEqual([])
  await next.close()
})

test('two processes that sweep concurrently send one event per message', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  for (let n = 0; n < 20; n += 1) await message(room_id, ann, { expires_at: new Date(Date.now() - 1) })
  const sweeps = await Promise.all([deleteExploded(db), deleteExploded(db)])
  expect(sweeps.flatMap(({ events }) => events.flatMap((entry) => entry.events))).toHaveLength(20)
})

test('an event is sent while a slow store erases the file', async () => {
  const ann = await user()
  const { id: house_id, room_id } = await house({ owner: ann })
  const message_id = await message(room_id, ann, { expires_at: new Date(Date.now() - 1) })
  const attachment = JSON.stringify({ key: 'slow' })
  await db.updateTable('messages').set({ attachment }).where('id', '=', message_id).execute()
  const erased = Promise.withResolvers<void>()
  const stop = startSweeping(db, { ...store, remove: () => erased.promise }, bus, () => {})
  const event = { type: 'message_deleted', room_id, house_id, message_id }
  await expect.poll(() => published).toContainEqual(event)
  erased.resolve()
  await stop()
})
