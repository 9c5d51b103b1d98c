import { expect, test } from 'vitest'
import { newBus } from '../../support/bus.ts'
import { logIn } from '../../support/gateway.ts'
import { mortalProcess, offlineSoon, presenceRows, presencesReceived } from '../../support/presences.ts'
import { startProcess } from '../../support/processes.ts'
import { db, friends, house, user } from '../../support/world.ts'

// The users of processes that have ended, and wrong rows, are looked for every few seconds.

const here = await startProcess(await newBus(), offlineSoon)

test('users of a killed process go offline, and no other session ends', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  await house({ owner: ann, members: [ben] })
  const client = await logIn(here, ann)
  const { app, kill } = await mortalProcess()
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
  const { app, kill } = await mortalProcess()
  await logIn(app, ben)
  await logIn(app, cat)
  await expect
    .poll(() => [presencesReceived(client, ben), presencesReceived(client, cat)])
    .toEqual([['online'], ['online']])
  await kill()
  await logIn(here, ben)
  // Ben would be offline by the time Cat is, who does not reconnect.
  await expect.poll(() => presencesReceived(client, cat)).toEqual(['online', 'offline'])
  expect(presencesReceived(client, ben)).toEqual(['online'])
})

test('corrects missing and left-over rows', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  for (const friend of [ben, cat]) await friends(ann, friend)
  const { app, node } = await mortalProcess()
  const client = await logIn(app, ann)
  await logIn(app, ben)
  await client.next('PRESENCE_UPDATE')
  await db.deleteFrom('presences').where('user_id', '=', ben.id).execute()
  await expect.poll(async () => (await presenceRows(ben)).length).toBe(1)
  await db.insertInto('presences').values({ user_id: cat.id, node: node.number! }).execute()
  await expect.poll(async () => (await presenceRows(cat)).length).toBe(0)
  await expect.poll(() => presencesReceived(client, cat)).toEqual(['offline'])
})
