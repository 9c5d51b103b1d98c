import { expect, test } from 'vitest'
import { Client, expectExact, listen, logIn, resume } from '../support/gateway.ts'
import { resumable } from '../support/gateway-scene.ts'
import { house, user } from '../support/world.ts'

const app = await listen()

test('a resumed session gets what it missed with the old numbers, then RESUMED, then what is new', async () => {
  const { ben, client, session_id, send } = await resumable(app)
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
  const { ben, client, session_id } = await resumable(app)
  const again = resume(app, ben, session_id, client.events.at(-1)!.seq!)
  expect(await client.end()).toEqual({ code: 4010, reason: 'taken_over' })
  await again.next('RESUMED')
  const third = resume(app, ben, session_id, again.events.at(-1)!.seq!)
  await third.next('RESUMED')
  expect(third.closed).toBeUndefined()
})

test('what is said after a session was taken over is told to who has it now', async () => {
  const own = await listen()
  const { ben, client, session_id, send } = await resumable(own)
  const again = resume(own, ben, session_id, client.events.at(-1)!.seq!)
  await again.next('RESUMED')
  await client.end()
  await expect.poll(() => own.gateway.connectionCount).toBe(1)
  await send(1)
  await again.next('MESSAGE_CREATE')
})

test('a client that answers the close of the server with 1000 may resume all the same', async () => {
  const { ben, client, session_id } = await resumable(app)
  const { seq } = client.events.at(-1)!
  const close = client.socket.close.bind(client.socket)
  client.socket.close = () => close(1000)
  client.send('x')
  expect(await client.end()).toEqual({ code: 4002, reason: 'bad_frame' })
  await resume(app, ben, session_id, seq!).next('RESUMED')
})

test('what cannot be resumed is closed 4009, a faulty token 4003', async () => {
  const { ann, ben, client, session_id } = await resumable(app)
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
  const { ben, client, session_id, send } = await resumable(app)
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
  const { ben, client, session_id } = await resumable(app)
  const { seq } = client.events.at(-1)!
  const elsewhere = resume(await listen(), ben, session_id, seq!)
  expect(await elsewhere.end()).toEqual({ code: 4009, reason: 'cannot_resume' })
  expect(client.closed).toBeUndefined()
  await resume(app, ben, session_id, seq!).next('RESUMED')
})

test('what was replayed once is replayed again to who asks for it, and RESUMED counts as an event', async () => {
  const { ben, client, session_id, send } = await resumable(app)
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

test('extended goes on after a resume', async () => {
  const { ben } = await resumable(app)
  const client = await logIn(app, ben, { extended: true })
  await client.cut()
  const again = resume(app, ben, client.events[0]!.d.session_id, 2)
  await again.next('RESUMED')
  again.send({ op: 3 })
  await again.until(() => again.frames.at(-1)!.op === 12)
})

test('the op 6 list goes on after a resume', async () => {
  const { ann, ben, client, session_id } = await resumable(app)
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

test('a seq that is no int cannot be resumed, though the events around it are kept', async () => {
  const { ben, client, session_id, send } = await resumable(app)
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
