import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { presenceOf } from '../../../src/events/presence.ts'
import { changePresences } from '../../../src/gateway/presence/presence-operations.ts'
import { newBus } from '../../support/bus.ts'
import { emptyEventLog } from '../../support/event-log.ts'
import { logIn, resume } from '../../support/gateway.ts'
import { mortalProcess, offlineSoon, presenceRows, presencesReceived } from '../../support/presences.ts'
import { startProcess } from '../../support/processes.ts'
import { failing } from '../../support/statements.ts'
import { bus, db, friends, user } from '../../support/world.ts'

// Presences of users at several processes.

const here = await startProcess(await newBus(), offlineSoon)

test('a user with sockets at two processes is online until both are closed', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const { app } = await mortalProcess()
  const client = await logIn(app, ann)
  const connections = [await logIn(here, ben), await logIn(app, ben)]
  await client.next('PRESENCE_UPDATE')
  await expect.poll(async () => (await presenceRows(ben)).length).toBe(2)
  await connections[0]!.close()
  await expect.poll(async () => (await presenceRows(ben)).length).toBe(1)
  await connections[1]!.close()
  await expect.poll(() => presencesReceived(client, ben)).toEqual(['online', 'offline'])
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
  await expect.poll(async () => (await presenceRows(cat)).length).toBe(1)
  const { app } = await mortalProcess()
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
  // The sessions of the world end now, and not in a later test.
  await bus.catchUp()
  for (const each of [client, other]) expect((await each.end()).code).toBe(1011)
  await logIn(here, ben)
  await expect.poll(async () => (await presenceRows(ben)).length).toBe(1)
  const again = await logIn(here, ann)
  await expect
    .poll(() => Object.keys(again.events[0]!.d.presences).concat(presencesReceived(again, ben)))
    .not.toEqual([])
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
