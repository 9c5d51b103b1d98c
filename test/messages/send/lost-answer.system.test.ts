import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/client.ts'
import { type Client, expectExact, listen, logIn } from '../../support/gateway.ts'
import { otherApp } from '../../support/other-app.ts'
import { detour, openTcpProxy } from '../../support/tcp-proxy.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { databaseUrl, db, group, house, type Person, user } from '../../support/world.ts'

// The database connection breaks during a write: the message is committed, and the response was a 503.

const way = detour(databaseUrl)
const proxy = await openTcpProxy(way.target)
const address = new URL(way.through(proxy.port))
// PostgreSQL goes on waiting for the room, however long the rest takes.
address.searchParams.set('options', '-c lock_timeout=60s')
const proxied = openDatabase(address.href)
const { call } = await otherApp({}, { db: proxied })
const gateway = await listen()
afterAll(async () => {
  await proxied.destroy()
  await proxy.close()
})

function send(caller: Person, roomId: string, content: string, nonce?: string) {
  return call(caller, 'POST', `/rooms/${roomId}/messages`, { content, ...(nonce && { nonce }) })
}

/** Sends, and breaks all connections while PostgreSQL waits for the room; returns a function that lets it continue. */
async function sendIntoSilence(caller: Person, roomId: string, content: string, nonce?: string) {
  expect((await send(caller, roomId, 'before')).status).toBe(200)
  const locked = await db.startTransaction().execute()
  await locked.selectFrom('rooms').select('id').where('id', '=', roomId).forUpdate().execute()
  const answer = send(caller, roomId, content, nonce)
  await untilWaiting(1)
  await proxy.set('reset')
  expect((await answer).status).toBe(503)
  await proxy.set('fine')
  await untilBack(caller)
  return () => locked.commit().execute()
}

async function untilBack(caller: Person): Promise<void> {
  await expect.poll(async () => (await call(caller, 'GET', '/users/@me')).status).toBe(200)
}

async function toldOf(client: Client, count: number): Promise<string[]> {
  const told: string[] = []
  while (told.length < count) {
    const frame = await client.next('MESSAGE_CREATE')
    expectExact(frame)
    told.push(frame.d.content)
  }
  return told
}

test('a message whose response was lost sends its event, without a later message', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(gateway, ben)
  const goOn = await sendIntoSilence(ann, den.room_id, `lost, <@${ben.id}>`)
  await goOn()
  expect(await toldOf(client, 2)).toEqual(['before', `lost, <@${ben.id}>`])
  expect(client.events.at(-1)!.d).toMatchObject({ house_id: den.id, mentions: [{ id: ben.id }] })
})

test('its event comes once, before those of later messages, and a repeated nonce finds it', async () => {
  const [ann, ben] = [await user(), await user()]
  const room = await group(ann, ben)
  const client = await logIn(gateway, ben)
  const goOn = await sendIntoSilence(ann, room, 'lost', 'n')
  const next = [send(ann, room, 'lost', 'n'), send(ben, room, 'next')]
  await goOn()
  const [again] = await Promise.all(next)
  expect(again).toMatchObject({ status: 200, body: { data: { content: 'lost' } } })
  expect((await send(ann, room, 'last')).status).toBe(200)
  expect(await toldOf(client, 4)).toEqual(['before', 'lost', 'next', 'last'])
  const ids = client.events.filter((frame) => frame.e === 'MESSAGE_CREATE').map((frame) => frame.d.id)
  expect(ids).toEqual(ids.toSorted())
})

test('a message that was not committed sends no event, and does not delay later ones', async () => {
  const [ann, ben] = [await user(), await user()]
  const room = await group(ann, ben)
  const client = await logIn(gateway, ben)
  expect((await send(ann, room, 'before')).status).toBe(200)
  await proxy.set('black hole')
  expect((await send(ann, room, 'nowhere')).status).toBe(503)
  await proxy.set('fine')
  await untilBack(ann)
  expect((await send(ann, room, 'next')).status).toBe(200)
  expect(await toldOf(client, 2)).toEqual(['before', 'next'])
})
