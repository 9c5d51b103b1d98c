import { expect, test } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { listen, logIn, resume } from '../support/gateway.ts'
import { resumable } from '../support/gateway-scene.ts'
import { bus, call, type Den, db, house, user } from '../support/world.ts'

// For how long, how many, and with how many events sessions without a connection are kept.

const app = await listen()

/** An event of a house whose `d` takes so many bytes. Not a thing the server says; only its size matters. */
function bigEvent(den: Den, bytes: number, timestamp: number): HearthEvent {
  const typing = { room_id: den.room_id, house_id: den.id, author_id: '', timestamp }
  const author_id = 'x'.repeat(bytes - JSON.stringify(typing).length)
  return { type: 'typing_started', ...typing, author_id }
}

test('a session ends with a close 1000 of the client, with its token, and with time', async () => {
  const refused = { code: 4009, reason: 'cannot_resume' }
  const normal = await resumable(app)
  await normal.client.close(1000)
  expect(await resume(app, normal.ben, normal.session_id, 2).end()).toEqual(refused)

  const away = await resumable(app)
  await away.client.close(1001)
  await resume(app, away.ben, away.session_id, 2).next('RESUMED')

  const revoked = await resumable(app)
  await revoked.client.cut()
  await db.deleteFrom('sessions').where('id', '=', revoked.ben.session_id).execute()
  await bus.publish([{ type: 'sessions_ended', session_ids: [revoked.ben.session_id] }])
  const late = resume(app, revoked.ben, revoked.session_id, 2)
  expect(await late.end()).toEqual({ code: 4003, reason: 'invalid_token' })

  const forgetful = await listen({ resumableForMs: 50, sweepEveryMs: 20 })
  const ann = await user()
  const old = await logIn(forgetful, ann)
  const { session_id } = old.events[0]!.d
  await old.cut()
  await expect.poll(() => forgetful.gateway.hub.sessions.has(session_id)).toBe(false)
  expect(await resume(forgetful, ann, session_id, 1).end()).toEqual(refused)
})

test('a session that was resumed outlives the time it had for that', async () => {
  const forgetful = await listen({ resumableForMs: 1_500, sweepEveryMs: 20 })
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const client = await logIn(forgetful, ann)
  const other = await logIn(forgetful, ben)
  await client.cut()
  const again = resume(forgetful, ann, client.events[0]!.d.session_id, 2)
  await again.next('RESUMED')
  await other.cut()
  const { session_id } = other.events[0]!.d
  await expect.poll(() => forgetful.gateway.hub.sessions.has(session_id)).toBe(false)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'still here' })
  await again.next('MESSAGE_CREATE')
})

test('who connects anew and anew without resuming keeps so many sessions, and the oldest go first', async () => {
  const few = await listen({ maxDetachedPerUser: 2 })
  const [ann, ben] = [await user(), await user()]
  const other = await logIn(few, ben)
  await other.cut()
  const ids: string[] = []
  for (let round = 0; round < 4; round += 1) {
    const client = await logIn(few, ann)
    ids.push(client.events[0]!.d.session_id)
    await client.cut()
  }
  await expect.poll(() => few.gateway.hub.detached.size).toBe(3)
  const refused = { code: 4009, reason: 'cannot_resume' }
  for (const id of ids.slice(0, 2)) expect(await resume(few, ann, id, 1).end()).toEqual(refused)
  for (const id of ids.slice(2)) await resume(few, ann, id, 1).next('RESUMED')
  await resume(few, ben, other.events[0]!.d.session_id, 1).next('RESUMED')
  expect(few.gateway.hub.detached.size).toBe(0)
})

test('the last 1,000 events are kept, and a session that missed more cannot resume', async () => {
  const { ben, den, client, session_id } = await resumable(app)
  await client.cut()
  const typing = {
    type: 'typing_started' as const,
    room_id: den.room_id,
    house_id: den.id,
    author_id: ben.id,
  }
  for (let number = 0; number < 2_000; number++) await bus.publish([{ ...typing, timestamp: number }])
  expect(await resume(app, ben, session_id, 2).end()).toEqual({ code: 4009, reason: 'cannot_resume' })
  const again = resume(app, ben, session_id, 1_002)
  await again.next('RESUMED')
  const stamps = again.events.slice(0, -1).map((frame) => frame.d.timestamp)
  expect(stamps).toEqual(Array.from({ length: 1_000 }, (_none, index) => 1_000 + index))
})

test('all that is kept is replayed at once, and who then reads too slowly is closed 4008', async () => {
  const { ben, den, client, session_id } = await resumable(app)
  await client.cut()
  const stamps = Array.from({ length: 1_000 }, (_none, index) => index)
  for (const stamp of stamps) await bus.publish([bigEvent(den, 8_388, stamp)])
  const again = resume(app, ben, session_id, 2)
  await again.next('RESUMED')
  expect(again.events.slice(0, -1).map((frame) => frame.d.timestamp)).toEqual(stamps)
  again.socket.pause()
  const { connection } = app.gateway.hub.sessions.get(session_id)!
  let sent = 0
  // More than 8 MiB, as the operating system takes some.
  for (; connection!.isOpen && sent < 34; sent += 1) {
    await bus.publish([bigEvent(den, 2 ** 19, sent)])
    await new Promise(setImmediate)
  }
  again.socket.resume()
  expect(await again.end()).toEqual({ code: 4008, reason: 'slow_consumer' })
})

test('events that pass 8 MiB together are not all kept, the last of them are', async () => {
  const { ben, den, client, session_id } = await resumable(app)
  await client.cut()
  for (let number = 0; number < 10; number++) await bus.publish([bigEvent(den, 2 ** 20, number)])
  expect(await resume(app, ben, session_id, 3).end()).toEqual({ code: 4009, reason: 'cannot_resume' })
  const again = resume(app, ben, session_id, 4)
  await again.next('RESUMED')
  expect(again.events.slice(0, -1).map((frame) => frame.d.timestamp)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
})
