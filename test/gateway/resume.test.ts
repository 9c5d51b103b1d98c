import { expect, test } from 'vitest'
import { expectExact, listen, logIn, resume } from '../support/gateway.ts'
import { bus, call, db, house, user } from '../support/world.ts'

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
  await expect.poll(() => forgetful.gateway.hub.sessions.has(session_id), { timeout: 10_000 }).toBe(false)
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
