import { expect, test } from 'vitest'
import { commit } from '../../../src/events/commit.ts'
import type { HearthEvent } from '../../../src/events/events.ts'
import { trimLog } from '../../../src/events/log-queries.ts'
import { newId } from '../../../src/ids.ts'
import { emptyEventLog } from '../../support/event-log.ts'
import { Client, expectExact, listen, logIn, pauseLogins, resume } from '../../support/gateway.ts'
import { resumable } from '../../support/gateway-scene.ts'
import { fillMemberships } from '../../support/houses.ts'
import { statementsOf } from '../../support/statements.ts'
import { bus, call, type Den, db, house, type Person, user } from '../../support/world.ts'

const app = await listen()
const readMessages = 2
const refused = { code: 4009, reason: 'cannot_resume' }

/** An app of its own, which has had none of the sessions. */
const otherProcess = () => listen({ houseJoinDelayMs: 5 })

/** Cuts off a member of a house, makes changes, and resumes at another process. */
async function missing(happen: (scene: { ann: Person; ben: Person; den: Den }) => Promise<unknown>) {
  const { ann, ben, den, client, session_id } = await resumable(app)
  const { seq } = client.events.at(-1)!
  await client.cut()
  await happen({ ann, ben, den })
  return resume(await otherProcess(), ben, session_id, seq!)
}

/** The replayed events. */
function beforeResumed({ events }: Client) {
  return events.slice(
    0,
    events.findIndex((frame) => frame.e === 'RESUMED'),
  )
}

/** Adds events to the log. */
async function add(events: HearthEvent[]): Promise<void> {
  await bus.deliver((await commit(db, async () => ({ answer: null, events }))).events)
}

test('resumes at another process: missed events with their seq, RESUMED, new events', async () => {
  const { ann, ben, den, client, session_id, send } = await resumable(app)
  const other = await logIn(app, ann)
  other.takeAll()
  await send(2)
  await client.until(
    () => client.events.at(-1)!.e === 'MESSAGE_CREATE' && client.events.at(-2)!.e === 'MESSAGE_CREATE',
  )
  const [first] = client.events.filter((frame) => frame.e === 'MESSAGE_CREATE')
  await client.cut()
  await send(3)
  const again = resume(await otherProcess(), ben, session_id, first!.seq!)
  const resumed = await again.next('RESUMED')
  expectExact(resumed)
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'new' })
  await again.next('MESSAGE_CREATE')
  await other.until(() => other.events.at(-1)!.d.content === 'new')
  const received = other.events
    .filter((frame) => frame.e === 'MESSAGE_CREATE')
    .map((frame) => [frame.seq, frame.d.id])
  const replayed = again.events
    .filter((frame) => frame.e === 'MESSAGE_CREATE')
    .map((frame) => [frame.seq, frame.d.id])
  expect(replayed).toEqual(received.slice(1))
  expect(again.events.findIndex((frame) => frame.e === 'RESUMED')).toBe(4)
  expect(resumed.d).toEqual({ session_id, seq: received[4]![0] })
})

test('seq never falls, and rises with each event of the log', async () => {
  const { client, send, ann, den } = await resumable(app)
  await send(3)
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Named' })
  await client.next('HOUSE_UPDATE')
  const numbers = client.events.map((frame) => frame.seq!)
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  expect(new Set(numbers.slice(-4)).size).toBe(4)
})

test('closes a connection that still has the session with 4010 taken_over', async () => {
  const { ben, client, session_id, send } = await resumable(app)
  const again = resume(app, ben, session_id, client.events.at(-1)!.seq!)
  expect(await client.end()).toEqual({ code: 4010, reason: 'taken_over' })
  await again.next('RESUMED')
  const third = resume(app, ben, session_id, again.events.at(-1)!.seq!)
  await third.next('RESUMED')
  await send(1)
  await third.next('MESSAGE_CREATE')
  expect(third.closed).toBeUndefined()
})

test('closes an invalid resume with 4009, an invalid token with 4003', async () => {
  const { ann, ben, client, session_id } = await resumable(app)
  const seq = client.events.at(-1)!.seq!
  await client.cut()
  const numbers = [seq + 1_000, 1, 0, -1, 1.5, Number.NaN, seq + 0.5, String(seq), [seq], true, null]
  for (const wrong of numbers) {
    expect(await resume(app, ben, session_id, wrong as number).end(), JSON.stringify(wrong)).toEqual(refused)
  }
  const ids = [
    'x',
    null,
    5,
    ['x'],
    { toString: 5 },
    session_id.toUpperCase(),
    `${session_id}00`,
    '0'.repeat(32),
  ]
  for (const wrong of ids) {
    expect(await resume(app, ben, wrong as string, seq).end(), JSON.stringify(wrong)).toEqual(refused)
  }
  expect(await resume(app, ann, session_id, seq).end()).toEqual(refused)
  const faulty = resume(app, { ...ben, token: 'x' }, session_id, seq)
  expect(await faulty.end()).toEqual({ code: 4003, reason: 'invalid_token' })
  await resume(app, ben, session_id, seq).next('RESUMED')
})

test('resumes after any end of the connection', async () => {
  const { ben, client, session_id, send } = await resumable(app)
  let on = client
  const floods = Array.from({ length: 121 }, () => '{"op":4}')
  const ends: [number, () => void][] = [
    [1000, () => on.socket.close(1000)],
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
      on.events.map((frame) => frame.e),
      `${code}`,
    ).toEqual(['MESSAGE_CREATE', 'RESUMED'])
  }
})

test('replays messages as they are now', async () => {
  const again = await missing(async ({ ann, den }) => {
    const path = `/rooms/${den.room_id}/messages`
    const send = async (content: string) => (await call(ann, 'POST', path, { content })).body.data.id
    const [kept, edited, deleted] = [await send('kept'), await send('before'), await send('deleted')]
    await call(ann, 'PATCH', `${path}/${edited}`, { content: 'edited' })
    await call(ann, 'DELETE', `${path}/${deleted}`)
    return kept
  })
  await again.next('RESUMED')
  const received = beforeResumed(again).map((frame) => [frame.e, frame.d.content])
  expect(received).toEqual([
    ['MESSAGE_CREATE', 'kept'],
    ['MESSAGE_CREATE', 'edited'],
    ['MESSAGE_UPDATE', 'edited'],
    ['MESSAGE_DELETE', undefined],
  ])
})

test('replays changes of houses, new rooms, relationships and profiles', async () => {
  const cat = await user()
  const again = await missing(async ({ ann, den, ben }) => {
    await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Named' })
    const made = await call(ann, 'POST', `/houses/${den.id}/rooms`, { name: 'new', type: 0 })
    expect(made.body).toMatchObject({ success: true })
    await call(ann, 'POST', `/rooms/${made.body.data.id}/messages`, { content: 'in the new room' })
    await call(ann, 'POST', `/houses/${den.id}/roles`, { name: 'role' })
    await call(cat, 'POST', '/relationships/@me/friend-request', { username: ben.username })
    await call(ann, 'PATCH', '/users/@me', { name: 'Annabel' })
  })
  await again.next('RESUMED')
  const names = beforeResumed(again).map((frame) => frame.e)
  expect(names).toEqual(expect.arrayContaining(['HOUSE_UPDATE', 'ROLE_CREATE', 'HOUSE_MEMBER_UPDATE']))
  expect(names.indexOf('ROOM_CREATE')).toBeGreaterThan(names.indexOf('HOUSE_UPDATE'))
  expect(names.indexOf('MESSAGE_CREATE')).toBeGreaterThan(names.indexOf('ROOM_CREATE'))
})

test('refuses a resume across a change of access', async () => {
  const changes: ((scene: { ann: Person; ben: Person; den: Den }) => Promise<unknown>)[] = [
    ({ ann, ben, den }) => call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`),
    ({ ann, den }) => call(ann, 'DELETE', `/houses/${den.id}`),
    ({ ann, ben }) => call(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] }),
    ({ ben }) => call(ben, 'POST', '/houses', { name: 'Own', icon: null }),
    ({ ann, den }) => call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Named', default_permissions: 0 }),
  ]
  for (const [place, change] of changes.entries()) {
    const again = await missing(async (scene) => {
      const { body } = ((await change(scene)) as { body?: { success: boolean } }) ?? {}
      if (body) expect(body.success, String(place)).toBe(true)
    })
    expect(await again.end(), String(place)).toEqual(refused)
  }
})

test('replays the deletion of a room to those who could read it', async () => {
  const deleted: { shown?: string; hidden?: string } = {}
  const { ann, ben, den, client, session_id } = await resumable(app)
  for (const [name, deny] of [
    ['shown', 0],
    ['hidden', readMessages],
  ] as const) {
    const { body } = await call(ann, 'POST', `/houses/${den.id}/rooms`, { name, type: 0 })
    await call(ann, 'PATCH', `/rooms/${body.data.id}/default-permissions`, { allow: 0, deny })
    deleted[name] = body.data.id
  }
  await client.next('ROOM_DELETE')
  const { seq } = await client.next('HOUSE_ENTITIES_UPDATE')
  await client.cut()
  const { body } = await call(ann, 'POST', `/houses/${den.id}/rooms`, { name: 'brief', type: 0 })
  for (const id of [deleted.shown, deleted.hidden, body.data.id]) await call(ann, 'DELETE', `/rooms/${id}`)
  const again = resume(await otherProcess(), ben, session_id, seq!)
  await again.next('RESUMED')
  const replayed = beforeResumed(again).filter(({ e }) => e !== 'HOUSE_ENTITIES_UPDATE')
  expect(replayed.map(({ e, d }) => [e, d.id])).toEqual([['ROOM_DELETE', deleted.shown]])
})

test('replays 2,000 events, and refuses more', async () => {
  const many = (ben: Person, count: number): HearthEvent[] =>
    Array.from({ length: count }, () => ({ type: 'settings_updated', user_id: ben.id }))
  await (await missing(({ ben }) => add(many(ben, 1_990)))).next('RESUMED')
  expect(await (await missing(({ ben }) => add(many(ben, 2_001)))).end()).toEqual(refused)
})

test('resumes after a trim only if no event of its scopes was trimmed', async () => {
  const trim = async () => trimLog(db, bus.epoch, await bus.catchUp())
  const quiet = await missing(async () => {
    const other = await house({ owner: await user() })
    await add(Array.from({ length: 10 }, () => ({ type: 'house_updated', house_id: other.id })))
    await trim()
  })
  await quiet.next('RESUMED')
  const busy = await missing(async ({ den, ann }) => {
    for (const name of ['One', 'Two']) await call(ann, 'PATCH', `/houses/${den.id}`, { name })
    await trim()
  })
  expect(await busy.end()).toEqual(refused)
})

test('sends presences that changed since after RESUMED', async () => {
  const cat = await user()
  const again = await missing(async ({ den }) => {
    await db.insertInto('members').values({ house_id: den.id, user_id: cat.id }).execute()
    await logIn(app, cat)
  })
  await again.next('RESUMED')
  expect((await again.next('HOUSE_MEMBER_ENTER')).d.user.id).toBe(cat.id)
})

test('each resume sets whether the session is extended', async () => {
  const { ben } = await resumable(app)
  const client = await logIn(app, ben, { extended: true })
  const { session_id } = client.events[0]!.d
  const { seq } = client.events.at(-1)!
  await client.cut()
  const plain = resume(app, ben, session_id, seq!)
  await plain.next('RESUMED')
  plain.send({ op: 3 })
  const extended = new Client(app)
  extended.send({ op: 11, d: { session_id, seq, token: ben.token, extended: true } })
  await extended.next('RESUMED')
  extended.send({ op: 3 })
  await extended.until(() => extended.frames.at(-1)!.op === 12)
  expect(plain.frames.some((frame) => frame.op === 12)).toBe(false)
})

test('replays acks and settings to extended clients', async () => {
  const { ann, ben, den } = await resumable(app)
  const client = await logIn(app, ben, { extended: true })
  const { session_id } = client.events[0]!.d
  const { seq } = client.events.at(-1)!
  await client.cut()
  const { body } = await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'read me' })
  await call(ben, 'POST', `/rooms/${den.room_id}/messages/${body.data.id}/ack`)
  const again = new Client(app)
  again.send({ op: 11, d: { session_id, seq, token: ben.token, extended: true } })
  await again.next('RESUMED')
  expect(again.events.map((frame) => frame.e)).toEqual(['MESSAGE_CREATE', 'READ_STATE_UPDATE', 'RESUMED'])
})

test('a resume counts towards the connections of a user, a takeover does not', async () => {
  const few = await listen({ maxConnectionsPerUser: 2 })
  const ann = await user()
  const [first, second] = [await logIn(few, ann), await logIn(few, ann)]
  const [one, two] = [first, second].map(
    ({ events }) => [events[0]!.d.session_id, events.at(-1)!.seq!] as const,
  )
  await first.cut()
  const third = await logIn(few, ann)
  expect(await resume(few, ann, ...one!).end()).toEqual({ code: 4012, reason: 'too_many' })
  await resume(few, ann, ...two!).next('RESUMED')
  expect(await second.end()).toEqual({ code: 4010, reason: 'taken_over' })
  await third.close()
  await resume(few, ann, ...one!).next('RESUMED')
})

test('refuses to resume a session whose login is not over', async () => {
  const ann = await user()
  await house({ owner: ann })
  const goOn = pauseLogins(app, ann)
  const client = new Client(app)
  client.send({ op: 2, d: { token: ann.token } })
  const init = await client.next('INIT_STATE')
  const early = resume(app, ann, init.d.session_id, init.seq!)
  expect(await early.end()).toEqual(refused)
  goOn()
  await client.next('HOUSE_JOIN')
})

test('refuses to resume a session of a lost log', async () => {
  const { ben, client, session_id } = await resumable(app)
  const { seq } = client.events.at(-1)!
  await client.cut()
  await emptyEventLog()
  await expect.poll(async () => (await resume(app, ben, session_id, seq!).end()).code).toBe(4009)
  await bus.catchUp()
  await logIn(app, ben)
})

test('reads the houses of a resume in parts, as far as they have many rooms', async () => {
  const { ben, client, session_id } = await resumable(app)
  const small = await fillMemberships(ben, ben, 10)
  const large = await fillMemberships(ben, ben, 5)
  const rooms = large.flatMap((house_id) =>
    Array.from({ length: 300 }, (_, position) => ({
      id: newId(),
      house_id,
      type: 0,
      name: 'room',
      position,
    })),
  )
  await db.insertInto('rooms').values(rooms).execute()
  await client.cut()
  const [other, seq] = [await otherProcess(), client.events.at(-1)!.seq!]
  const statements = await statementsOf(async () => {
    await resume(other, ben, session_id, seq).next('RESUMED')
  })
  const reads = statements.filter(({ text }) => /rooms\.house_id = any\(/.test(text))
  const parts = reads.map(({ values }) => values[0] as string[])
  expect(parts.flat().toSorted()).toEqual(expect.arrayContaining([...small, ...large].toSorted()))
  const largeInPart = parts.map((ids) => ids.filter((id) => large.includes(id)).length)
  expect(Math.max(...largeInPart)).toBe(1)
  expect(parts.length).toBeLessThanOrEqual(large.length + 1)
})
