import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createBus } from '../../src/events/bus.ts'
import type { EventOf } from '../../src/events/events.ts'
import { createMessageOrder } from '../../src/gateway/message-order.ts'
import { newId } from '../../src/ids.ts'
import { type Client, expectExact, logIn } from '../support/gateway.ts'
import { ask, startProcess } from '../support/processes.ts'
import { relayDoubles, type Way } from '../support/relay-double.ts'
import { db, house, type Person, user } from '../support/world.ts'

type MessageFact = EventOf<'message_created' | 'message_updated' | 'message_deleted'>

/** Apps that share relays of this kind. */
async function processes(count: number, way: Way, missingMessageMs = 500): Promise<FastifyInstance[]> {
  const openRelay = relayDoubles(way)
  const apps: FastifyInstance[] = []
  for (let number = 0; number < count; number += 1) {
    apps.push(await startProcess(createBus(openRelay(), { isOneOfMany: true }), { missingMessageMs }))
  }
  return apps
}

async function send(app: FastifyInstance, caller: Person, roomId: string, content: string): Promise<string> {
  return (await ask(app, caller, 'POST', `/rooms/${roomId}/messages`, { content })).id
}

function toldOf(client: Client, name: string): string[] {
  return client.events.filter((frame) => frame.e === name).map((frame) => frame.d.id)
}

function ofCreation(text: string): boolean {
  return text.includes('"message_created"')
}

test('messages sent at two processes reach the readers at all of them in id order, each once', async () => {
  let turn = 0
  const late = [40, 0, 25, 5, 60, 10]
  const twiceAndInDisorder: Way = (text) => {
    turn += 1
    return ofCreation(text) ? [late[turn % late.length]!, late[(turn + 3) % late.length]!] : [0]
  }
  const [one, other, third] = (await processes(3, twiceAndInDisorder, 2_000)) as [
    FastifyInstance,
    FastifyInstance,
    FastifyInstance,
  ]
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const clients = [await logIn(one, ann), await logIn(other, ben), await logIn(third, ann, { zlib: true })]
  const ids: string[] = []
  for (let round = 0; round < 30; round += 1) {
    const sent = [one, other, one, other].map((app, place) =>
      send(app, place % 2 ? ann : ben, den.room_id, `${round}`),
    )
    ids.push(...(await Promise.all(sent)))
  }
  ids.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  for (const client of clients) {
    await client.until(() => toldOf(client, 'MESSAGE_CREATE').length >= ids.length, 'all messages')
    expect(toldOf(client, 'MESSAGE_CREATE')).toEqual(ids)
  }
})

test('a message that the relay lost is told with the next one, as it is now', async () => {
  let passing = 0
  const losing: Way = (text) => (ofCreation(text) && [1, 2].includes(passing++) ? [] : [0])
  const [here, there] = (await processes(2, losing, 50)) as [FastifyInstance, FastifyInstance]
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  const ids: string[] = []
  for (const content of ['here', 'lost', `see <@${ann.id}>`, 'last']) {
    ids.push(await send(there, ben, den.room_id, content))
  }
  await client.until(() => toldOf(client, 'MESSAGE_CREATE').length >= 4, 'all messages')
  expect(toldOf(client, 'MESSAGE_CREATE')).toEqual(ids)
  for (const frame of client.events) expectExact(frame)
  const told = client.events.find((frame) => frame.d.id === ids[2])!.d
  expect(told).toMatchObject({ house_id: den.id, author: { id: ben.id }, mentions: [{ id: ann.id }] })
})

test('the first messages in a room, which the relay lost, are told with the next one', async () => {
  let passing = 0
  const losing: Way = (text) => (ofCreation(text) && passing++ < 3 ? [] : [0])
  const [here, there] = (await processes(2, losing, 50)) as [FastifyInstance, FastifyInstance]
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  const ids: string[] = []
  for (const content of ['lost', 'lost', 'lost', 'heard']) {
    ids.push(await send(there, ben, den.room_id, content))
  }
  await client.until(() => toldOf(client, 'MESSAGE_CREATE').includes(ids.at(-1)!), 'the last message')
  expect(toldOf(client, 'MESSAGE_CREATE')).toEqual(ids)
})

test('however many messages the relay lost between others, they are told together', async () => {
  let isLosing = false
  const losing: Way = (text) => (isLosing && ofCreation(text) ? [] : [0])
  const [here, there] = (await processes(2, losing)) as [FastifyInstance, FastifyInstance]
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  const ids = [await send(here, ben, den.room_id, 'first')]
  isLosing = true
  for (let round = 0; round < 20; round += 1) {
    ids.push(await send(there, ben, den.room_id, 'lost'), await send(here, ben, den.room_id, 'here'))
  }
  await client.until(() => toldOf(client, 'MESSAGE_CREATE').length >= ids.length, 'all messages')
  expect(toldOf(client, 'MESSAGE_CREATE')).toEqual(ids)
})

/** What a client is told of a message sent at one process, of which others hear late, and changed at another. */
async function toldOfOvertaking(
  change: 'PATCH' | 'DELETE',
  isQuiet: boolean,
): Promise<(string | undefined)[]> {
  const [here, there, third] = (await processes(3, (text) => [ofCreation(text) ? 500 : 0], 5_000)) as [
    FastifyInstance,
    FastifyInstance,
    FastifyInstance,
  ]
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  if (!isQuiet) {
    await send(there, ben, den.room_id, 'first')
    await client.next('MESSAGE_CREATE')
  }
  const id = await send(there, ben, den.room_id, 'one')
  await ask(third, ben, change, `/rooms/${den.room_id}/messages/${id}`, { content: 'two' })
  const told = () => client.events.filter((frame) => frame.d.id === id).map((frame) => frame.e)
  await client.until(() => told().length === 2, 'both events')
  return told()
}

test('an edit and a deletion that overtake their message wait for it', async () => {
  expect(await toldOfOvertaking('PATCH', false)).toEqual(['MESSAGE_CREATE', 'MESSAGE_UPDATE'])
  expect(await toldOfOvertaking('DELETE', false)).toEqual(['MESSAGE_CREATE', 'MESSAGE_DELETE'])
})

test('an edit and a deletion that overtake the first message in a room wait for it', async () => {
  expect(await toldOfOvertaking('PATCH', true)).toEqual(['MESSAGE_CREATE', 'MESSAGE_UPDATE'])
  expect(await toldOfOvertaking('DELETE', true)).toEqual(['MESSAGE_CREATE', 'MESSAGE_DELETE'])
})

test('a message that comes long after its edit or deletion is not told as it was', async () => {
  const [here, there, third] = (await processes(3, (text) => [ofCreation(text) ? 800 : 0], 50)) as [
    FastifyInstance,
    FastifyInstance,
    FastifyInstance,
  ]
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  const edited = await send(there, ben, den.room_id, 'one')
  await ask(third, ben, 'PATCH', `/rooms/${den.room_id}/messages/${edited}`, { content: 'two' })
  await client.next('MESSAGE_UPDATE')
  const deleted = await send(there, ben, den.room_id, 'gone')
  await ask(third, ben, 'DELETE', `/rooms/${den.room_id}/messages/${deleted}`)
  const next = await send(there, ben, den.room_id, 'next')
  await client.until(() => toldOf(client, 'MESSAGE_CREATE').includes(next), 'the next message')
  const shown = new Map<string, string>()
  for (const { e, d } of client.events) {
    if (e === 'MESSAGE_DELETE') shown.delete(d.id)
    else if (e?.startsWith('MESSAGE_')) shown.set(d.id, d.content)
  }
  expect([...shown]).toEqual([
    [edited, 'two'],
    [next, 'next'],
  ])
})

test('what nobody can find any more holds the next message up no longer than its time', async () => {
  const [here, there] = (await processes(2, (text) => (text.includes('secret') ? [] : [0]), 50)) as [
    FastifyInstance,
    FastifyInstance,
  ]
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  await send(there, ben, den.room_id, 'first')
  const gone = await send(there, ben, den.room_id, 'secret')
  await ask(there, ben, 'DELETE', `/rooms/${den.room_id}/messages/${gone}`)
  const next = await send(there, ben, den.room_id, 'next')
  await client.until(() => toldOf(client, 'MESSAGE_CREATE').at(-1) === next)
  expect(toldOf(client, 'MESSAGE_CREATE')).toHaveLength(2)
})

test('who misses more messages than are looked up is closed 1011, and nobody else', async () => {
  const bus = createBus()
  const here = await startProcess(bus, { missingMessageMs: 50 })
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const [client, other] = [await logIn(here, ann), await logIn(here, cat)]
  const first = await send(here, ben, den.room_id, 'first')
  const message = (await client.next('MESSAGE_CREATE')).d
  await sql`insert into messages (room_id, id, author_id, device_id, content)
    select room_id, id + n, author_id, device_id, content from messages, generate_series(1, 501) as n
    where room_id = ${den.room_id} and id = ${first}`.execute(db)
  const [id, after] = [`${BigInt(first) + 502n}`, `${BigInt(first) + 501n}`]
  const place = { room_id: den.room_id, house_id: den.id }
  await bus.publish([{ type: 'message_created', ...place, message: { ...message, id }, after }])
  expect(await client.end()).toEqual({ code: 1011, reason: 'internal_error' })
  expect(toldOf(client, 'MESSAGE_CREATE')).toEqual([first])
  expect(other.closed).toBeUndefined()
})

test('a deletion of a message that never came is told when its time is up', async () => {
  const bus = createBus()
  const here = await startProcess(bus, { missingMessageMs: 50 })
  const ann = await user()
  const den = await house({ owner: ann })
  const client = await logIn(here, ann)
  const message_id = `${BigInt(await send(here, ann, den.room_id, 'first')) + 1n}`
  await bus.publish([{ type: 'message_deleted', room_id: den.room_id, house_id: den.id, message_id }])
  expect((await client.next('MESSAGE_DELETE')).d.message_id).toBe(message_id)
})

test('where a second process joins one that was alone, nothing is told twice, and nothing waits', async () => {
  const openRelay = relayDoubles(() => [0])
  const here = await startProcess(createBus(openRelay()), { missingMessageMs: 60_000 })
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  const ids = [await send(here, ben, den.room_id, 'alone')]
  const there = await startProcess(createBus(openRelay()), { missingMessageMs: 60_000 })
  ids.push(await send(here, ben, den.room_id, 'no more'))
  ids.push(await send(there, ben, den.room_id, 'there'))
  await client.until(() => toldOf(client, 'MESSAGE_CREATE').length >= 3, 'all messages')
  expect(toldOf(client, 'MESSAGE_CREATE')).toEqual(ids)
})

/** The order of messages alone, what it tells, and so many ids for messages of a room where nothing was told yet. */
function orderAlone(parts: Partial<Parameters<typeof createMessageOrder>[0]> = {}) {
  const told: string[] = []
  const order = createMessageOrder({
    waitMs: 60_000,
    hearsLate: () => true,
    tell: (fact) => void told.push(`${fact.type} ${names.get(idOf(fact))}`),
    find: async () => [],
    giveUp() {},
    ...parts,
  })
  onTestFinished(() => order.stop())
  const ids = Array.from({ length: 5 }, newId)
  const names = new Map(ids.map((id, place) => [id, place + 1]))
  const place = { room_id: newId(), house_id: null }
  const created = (n: number, after?: number): MessageFact => {
    const message = { id: ids[n - 1] } as EventOf<'message_created'>['message']
    const before = after === undefined ? {} : { after: ids[after - 1] ?? null }
    return { type: 'message_created', ...place, message, ...before }
  }
  const deleted = (n: number): MessageFact => {
    return { type: 'message_deleted', ...place, message_id: ids[n - 1]! }
  }
  return { order, told, created, deleted }
}

function idOf(fact: MessageFact): string {
  return fact.type === 'message_deleted' ? fact.message_id : fact.message.id
}

test('what was held back is told with the message that was missing, and does not wait until its time is up', () => {
  const { order, told, created, deleted } = orderAlone()
  order.pass(created(1, 0))
  order.pass(deleted(3))
  order.pass(created(3, 2))
  expect(told).toEqual(['message_created 1'])
  order.pass(created(2, 1))
  const creations = [1, 2, 3].map((n) => `message_created ${n}`)
  expect(told).toEqual([...creations, 'message_deleted 3'])
})

test('of a single process every message is told, in whatever order it hears of them, and its deletion after it', () => {
  const { order, told, created, deleted } = orderAlone({ hearsLate: () => false })
  order.pass(created(2))
  order.pass(created(1))
  order.pass(deleted(3))
  order.pass(created(3))
  const creations = [2, 1, 3].map((n) => `message_created ${n}`)
  expect(told).toEqual([...creations, 'message_deleted 3'])
})

test('what comes while missing messages are looked up, and misses others, has its time as well', async () => {
  let lookups = 0
  const { order, told, created } = orderAlone({
    waitMs: 1,
    find: async () => {
      lookups += 1
      if (lookups === 1) order.pass(created(5, 4))
      return []
    },
  })
  order.pass(created(1, 0))
  order.pass(created(3, 2))
  await expect.poll(() => told).toEqual([1, 3, 5].map((n) => `message_created ${n}`))
})

test('what was held back before a loss is not told after it', () => {
  const { order, told, created } = orderAlone()
  order.pass(created(1, 0))
  order.pass(created(3, 2))
  order.startAgain()
  order.pass(created(2, 1))
  expect(told).toEqual([1, 2].map((n) => `message_created ${n}`))
})
