import { expect, test } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { Client, expectExact, listen, logIn, resume } from '../support/gateway.ts'
import { bus, call, type Den, db, house, user } from '../support/world.ts'

const app = await listen()

async function scene() {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(app, ben)
  const send = async (count: number) => {
    for (let number = 0; number < count; number++) {
      await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: `m${number}` })
    }
  }
  return { ann, ben, den, client, session_id: client.events[0]!.d.session_id as string, send }
}

test('a resumed session gets what it missed with the old numbers, then RESUMED, then what is new', async () => {
  const { ben, client, session_id, send } = await scene()
  await send(2)
  await client.until(() => client.events.at(-1)!.seq === 4)
  await client.cut()
  await send(3)
  const again = resume(app, ben, session_id, 3)
  const resumed = await again.next('RESUMED')
  expectExact(resumed)
  await send(1)
  await again.next('MESSAGE_CREATE')
  expect(again.events.map((frame) => [frame.seq, frame.e])).toEqual([
    [4, 'MESSAGE_CREATE'],
    [5, 'MESSAGE_CREATE'],
    [6, 'MESSAGE_CREATE'],
    [7, 'MESSAGE_CREATE'],
    [8, 'RESUMED'],
    [9, 'MESSAGE_CREATE'],
  ])
  expect(resumed.d).toEqual({ session_id, seq: 7 })
})

test('a connection that still held the session is closed 4010 taken_over', async () => {
  const { ben, client, session_id } = await scene()
  const again = resume(app, ben, session_id, client.events.at(-1)!.seq!)
  expect(await client.end()).toEqual({ code: 4010, reason: 'taken_over' })
  await again.next('RESUMED')
  const third = resume(app, ben, session_id, again.events.at(-1)!.seq!)
  await third.next('RESUMED')
  expect(third.closed).toBeUndefined()
})

test('what cannot be resumed is closed 4009, a faulty token 4003', async () => {
  const { ann, ben, client, session_id } = await scene()
  const seq = client.events.at(-1)!.seq!
  await client.cut()
  const refused = { code: 4009, reason: 'cannot_resume' }
  for (const wrong of [seq + 1, seq - 1, 0, -1, 1.5, Number.NaN]) {
    expect(await resume(app, ben, session_id, wrong).end(), String(wrong)).toEqual(refused)
  }
  for (const wrong of ['x', null, 5, ['x'], { toString: 5, valueOf: 5 }]) {
    expect(await resume(app, ben, wrong as string, seq).end(), String(typeof wrong)).toEqual(refused)
  }
  expect(await resume(app, ann, session_id, seq).end()).toEqual(refused)
  const faulty = resume(app, { ...ben, token: 'x' }, session_id, seq)
  expect(await faulty.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  await resume(app, ben, session_id, seq).next('RESUMED')
})

test('a session outlives every other end of its connection, whoever closed it', async () => {
  const { ben, client, session_id, send } = await scene()
  let on = client
  const floods = Array.from({ length: 121 }, () => '{"op":4}')
  const ends: [number, () => void][] = [
    [1005, () => on.socket.close()],
    [1001, () => on.socket.close(1001)],
    [4000, () => on.socket.close(4000, 'bye')],
    [4002, () => on.send('x')],
    [1009, () => on.send('x'.repeat(2 ** 17))],
    [4012, () => floods.map((text) => on.send(text))],
    [1006, () => on.socket.terminate()],
  ]
  for (const [code, end] of ends) {
    const { seq } = on.events.at(-1)!
    end()
    expect((await on.end()).code).toBe(code)
    await send(1)
    on = resume(app, ben, session_id, seq!)
    await on.next('RESUMED')
    expect(
      on.events.map((frame) => [frame.seq, frame.e]),
      `${code}`,
    ).toEqual([
      [seq! + 1, 'MESSAGE_CREATE'],
      [seq! + 2, 'RESUMED'],
    ])
  }
})

test('a session that is known to another process cannot be resumed', async () => {
  const { ben, client, session_id } = await scene()
  const { seq } = client.events.at(-1)!
  const elsewhere = resume(await listen(), ben, session_id, seq!)
  expect(await elsewhere.end()).toEqual({ code: 4009, reason: 'cannot_resume' })
  expect(client.closed).toBeUndefined()
  await resume(app, ben, session_id, seq!).next('RESUMED')
})

test('what was replayed once is replayed again to who asks for it, and RESUMED counts as an event', async () => {
  const { ben, client, session_id, send } = await scene()
  const seq = client.events.at(-1)!.seq!
  await client.cut()
  await send(1)
  const names = ['MESSAGE_CREATE', 'RESUMED', 'RESUMED', 'RESUMED']
  for (const count of [2, 3, 4]) {
    const again = resume(app, ben, session_id, seq)
    await again.until(() => again.events.length === count)
    const told = again.events.map((frame) => [frame.seq, frame.e])
    expect(told).toEqual(names.slice(0, count).map((name, place) => [seq + 1 + place, name]))
    expect(again.events.at(-1)!.d).toEqual({ session_id, seq: seq + count - 1 })
  }
})

test('a session ends with a close 1000 of the client, with its token, and with time', async () => {
  const refused = { code: 4009, reason: 'cannot_resume' }
  const normal = await scene()
  await normal.client.close(1000)
  expect(await resume(app, normal.ben, normal.session_id, 2).end()).toEqual(refused)

  const away = await scene()
  await away.client.close(1001)
  await resume(app, away.ben, away.session_id, 2).next('RESUMED')

  const revoked = await scene()
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

test('the last 1,000 events are kept, and a session that missed more cannot resume', async () => {
  const { ben, den, client, session_id } = await scene()
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

test('extended goes on after a resume', async () => {
  const { ben } = await scene()
  const client = await logIn(app, ben, { extended: true })
  await client.cut()
  const again = resume(app, ben, client.events[0]!.d.session_id, 2)
  await again.next('RESUMED')
  again.send({ op: 3 })
  await again.until(() => again.frames.at(-1)!.op === 12)
})

test('the op 6 list goes on after a resume', async () => {
  const { ann, ben, client, session_id } = await scene()
  client.send({ op: 6, d: { user_ids: [ann.id] } })
  const { seq } = await client.next('PRESENCE_UPDATE')
  await client.cut()
  const again = resume(app, ben, session_id, seq!)
  await again.next('RESUMED')
  await logIn(app, ann)
  expect((await again.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ann.id, presence: 'online' })
})

test('resuming is no way past the number of connections, taking over is', async () => {
  const few = await listen({ maxConnectionsPerUser: 2 })
  const ann = await user()
  const [first, second] = [await logIn(few, ann), await logIn(few, ann)]
  await first.cut()
  const third = await logIn(few, ann)
  const sessionOf = (client: typeof first) => client.events[0]!.d.session_id
  expect(await resume(few, ann, sessionOf(first), 1).end()).toEqual({ code: 4012, reason: 'too_many' })
  await resume(few, ann, sessionOf(second), 1).next('RESUMED')
  expect(await second.end()).toEqual({ code: 4010, reason: 'taken_over' })
  await third.close()
  await resume(few, ann, sessionOf(first), 1).next('RESUMED')
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

test('a seq that is no int cannot be resumed, though the events around it are kept', async () => {
  const { ben, client, session_id, send } = await scene()
  const seq = client.events.at(-1)!.seq!
  await send(2)
  await client.until(() => client.events.at(-1)!.seq === seq + 2)
  await client.cut()
  for (const wrong of [seq + 0.5, String(seq + 1), [seq + 1], true, null]) {
    const refused = await resume(app, ben, session_id, wrong as number).end()
    expect(refused, JSON.stringify(wrong)).toEqual({ code: 4009, reason: 'cannot_resume' })
  }
  await resume(app, ben, session_id, seq + 1).next('RESUMED')
})

test('a session whose login is not over cannot be resumed, and its login goes on', async () => {
  const slow = await listen({ houseJoinDelayMs: 500 })
  const ann = await user()
  await house({ owner: ann })
  const client = new Client(slow)
  client.send({ op: 2, d: { token: ann.token } })
  const { session_id } = (await client.next('INIT_STATE')).d
  const early = resume(slow, ann, session_id, 1)
  expect(await early.end()).toEqual({ code: 4009, reason: 'cannot_resume' })
  await client.next('HOUSE_JOIN')
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

/** An event of a house whose `d` takes so many bytes. Not a thing the server says; only its size matters. */
function bigEvent(den: Den, bytes: number, timestamp: number): HearthEvent {
  const typing = { room_id: den.room_id, house_id: den.id, author_id: '', timestamp }
  const author_id = 'x'.repeat(bytes - JSON.stringify(typing).length)
  return { type: 'typing_started', ...typing, author_id }
}

test('all that is kept is replayed at once, and who then reads too slowly is closed 4008', async () => {
  const { ben, den, client, session_id } = await scene()
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
  const { ben, den, client, session_id } = await scene()
  await client.cut()
  for (let number = 0; number < 10; number++) await bus.publish([bigEvent(den, 2 ** 20, number)])
  expect(await resume(app, ben, session_id, 3).end()).toEqual({ code: 4009, reason: 'cannot_resume' })
  const again = resume(app, ben, session_id, 4)
  await again.next('RESUMED')
  expect(again.events.slice(0, -1).map((frame) => frame.d.timestamp)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
})
