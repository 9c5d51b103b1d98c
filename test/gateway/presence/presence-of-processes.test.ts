import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { presenceOf } from '../../../src/events/presence.ts'
import { changePresences } from '../../../src/gateway/presence/presence-operations.ts'
import { newBus } from '../../support/bus.ts'
import { emptyEventLog } from '../../support/event-log.ts'
import { type Client, logIn, resume } from '../../support/gateway.ts'
import { startProcess } from '../../support/processes.ts'
import { failing } from '../../support/statements.ts'
import { db, friends, house, type Person, user } from '../../support/world.ts'

// Presences of users at several processes, of which some end.

const settings = { offlineAfterMs: 500 }
const here = await startProcess(await newBus(), settings)

/** A process that can be killed: its node number is free at once, and it sends nothing more. */
async function mortal() {
  const { bus, node, presences, close } = await newBus()
  onTestFinished(close)
  const app = await startProcess({ bus, presences, close: async () => {} }, settings)
  const kill = async () => {
    await presences.stop()
    await node.release()
  }
  return { app, node, kill }
}

/** The presences of a user that a client has received. */
function received(client: Client, { id }: Person): string[] {
  return client.events.filter(({ e, d }) => e === 'PRESENCE_UPDATE' && d.id === id).map(({ d }) => d.presence)
}

test('users of a killed process go offline, and no other session ends', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  const { app, kill } = await mortal()
  await logIn(app, ben)
  expect((await client.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ben.id, presence: 'online' })
  await client.next('HOUSE_MEMBER_ENTER')
  await kill()
  expect((await client.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ben.id, presence: 'offline' })
  expect((await client.next('HOUSE_MEMBER_EXIT')).d.id).toBe(ben.id)
  expect(client.closed).toBeUndefined()
})

test('a user who reconnects elsewhere after a kill stays online', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  for (const friend of [ben, cat]) await friends(ann, friend)
  const client = await logIn(here, ann)
  const { app, kill } = await mortal()
  await logIn(app, ben)
  await logIn(app, cat)
  await expect.poll(() => [received(client, ben), received(client, cat)]).toEqual([['online'], ['online']])
  await kill()
  await logIn(here, ben)
  // Ben would be offline by the time Cat is, who does not reconnect.
  await expect.poll(() => received(client, cat)).toEqual(['online', 'offline'])
  expect(received(client, ben)).toEqual(['online'])
})

test('a user with sockets at two processes is online until both are closed', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const { app } = await mortal()
  const client = await logIn(app, ann)
  const connections = [await logIn(here, ben), await logIn(app, ben)]
  await client.next('PRESENCE_UPDATE')
  await expect.poll(async () => (await rowsOf(ben)).length).toBe(2)
  await connections[0]!.close()
  await expect.poll(async () => (await rowsOf(ben)).length).toBe(1)
  await connections[1]!.close()
  await expect.poll(() => received(client, ben)).toEqual(['online', 'offline'])
})

test('a new process loads all presences, and their changes for a resume', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  for (const friend of [ben, cat]) await friends(ann, friend)
  const watcher = await logIn(here, ann)
  await logIn(here, ben)
  await watcher.next('PRESENCE_UPDATE')
  const client = await logIn(here, ann)
  const { session_id, presences } = client.events[0]!.d
  expect(Object.keys(presences)).toEqual([ben.id])
  const { seq } = client.events.at(-1)!
  await client.cut()
  const late = await logIn(here, cat)
  await expect.poll(async () => (await rowsOf(cat)).length).toBe(1)
  const { app } = await mortal()
  const again = resume(app, ann, session_id, seq!)
  await again.next('RESUMED')
  expect((await again.next('PRESENCE_UPDATE')).d).toMatchObject({ id: cat.id, presence: 'online' })
  await late.close()
  expect((await again.next('PRESENCE_UPDATE')).d).toMatchObject({ id: cat.id, presence: 'offline' })
})

test('writes presences again after a crash of the database', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const [client, other] = [await logIn(here, ann), await logIn(here, ben)]
  await sql`truncate presences`.execute(db)
  await emptyEventLog()
  for (const each of [client, other]) expect((await each.end()).code).toBe(1011)
  await logIn(here, ben)
  await expect.poll(async () => (await rowsOf(ben)).length).toBe(1)
  const again = await logIn(here, ann)
  await expect
    .poll(() => Object.keys(again.events[0]!.d.presences).concat(received(again, ben)))
    .not.toEqual([])
})

test('corrects missing and left-over rows', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  for (const friend of [ben, cat]) await friends(ann, friend)
  const { app, node } = await mortal()
  const client = await logIn(app, ann)
  await logIn(app, ben)
  await client.next('PRESENCE_UPDATE')
  await db.deleteFrom('presences').where('user_id', '=', ben.id).execute()
  await expect.poll(async () => (await rowsOf(ben)).length).toBe(1)
  await db.insertInto('presences').values({ user_id: cat.id, node: node.number! }).execute()
  await expect.poll(async () => (await rowsOf(cat)).length).toBe(0)
  await expect.poll(() => received(client, cat)).toEqual(['offline'])
})

test('a user who leaves before the row is written is offline', async () => {
  const ann = await user()
  await failing(/insert into presences/, async () => {
    const client = await logIn(here, ann)
    expect(presenceOf(ann.id)).toBe('online')
    await client.close()
    await expect.poll(() => here.gateway.registry.sessionsOfUser(ann.id)).toEqual([])
  })
  await expect.poll(() => presenceOf(ann.id)).toBe('offline')
})

test('a resume gets a presence that is not yet sent', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const client = await logIn(here, ann)
  await expect.poll(() => here.gateway.registry.sessionsOfUser(ann.id)[0]?.isReady).toBe(true)
  const { session_id } = client.events[0]!.d
  const { seq } = client.events.at(-1)!
  await client.cut()
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const blocked = here.gateway.context.deliveries(() => gate)
  const { events } = await changePresences(db, here.bus.node.number!, { online: [ben.id], offline: [] })
  const delivered = here.bus.deliver(events)
  await here.bus.catchUp()
  const again = resume(here, ann, session_id, seq!)
  await again.next('RESUMED')
  openGate()
  expect((await again.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ben.id, presence: 'online' })
  await Promise.all([blocked, delivered])
})

function rowsOf({ id }: Person) {
  return db.selectFrom('presences').select('node').where('user_id', '=', id).execute()
}
