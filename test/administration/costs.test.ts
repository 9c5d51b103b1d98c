import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { crowd } from '../support/crowds.ts'
import { otherApp } from '../support/other-app.ts'
import { admin, config, db, call as unlimited, user } from '../support/world.ts'

const burst = (size: number) => ({ burst: size, refillMs: 3_600_000 })

const { call } = await otherApp({
  rateLimit: true,
  rateLimits: { ...config.rateLimits, address: burst(3), requests: burst(3) },
})
const statuses = async (count: number, ask: () => Promise<{ status: number }>) => {
  const seen = []
  for (let n = 0; n < count; n += 1) seen.push((await ask()).status)
  return seen
}

test('to whoever is no admin the routes cost what an unknown address costs', async () => {
  const ann = await user()
  const asked = await statuses(5, () => call(ann, 'PATCH', `/admin/users/${ann.id}`, { admin: true }))
  expect(asked).toEqual([404, 404, 404, 429, 429])
})

test('an admin has the limits of a user', async () => {
  const ruler = await admin()
  const asked = await statuses(5, () => call(ruler, 'GET', '/admin/users'))
  expect(asked).toEqual([200, 200, 200, 429, 429])
})

test('with 2,000 accounts and houses a page has 100, and a name is found', async () => {
  const ruler = await admin()
  const ids = await crowd(2_000)
  const houses = ids.map((owner_id) => ({ id: newId(), name: 'Crowd', owner_id, default_permissions: 0 }))
  await db.insertInto('houses').values(houses).execute()
  const page = await unlimited(ruler, 'GET', '/admin/users?limit=100&q=crowd')
  expect(page.body.data).toHaveLength(100)
  const found = await unlimited(ruler, 'GET', `/admin/users?q=crowd${ids.at(-1)}`)
  expect(found.body.data).toHaveLength(1)
  expect((await unlimited(ruler, 'GET', '/admin/houses?limit=100')).body.data).toHaveLength(100)
})
