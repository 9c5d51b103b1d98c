import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { auditRows } from '../../support/audit-log.ts'
import { watching } from '../../support/houses.ts'
import { otherApp } from '../../support/other-app.ts'
import { houseNotFound, noPermission, required, told } from '../../support/permissions.ts'
import { call, db, house, type Person, role, user } from '../../support/world.ts'

const daySeconds = 86_400
const limited = await otherApp({ messagesMaxAgeMs: daySeconds * 1_000 })

const set = (caller: Person | null, houseId: string, body: unknown) =>
  call(caller, 'PUT', `/houses/${houseId}/retention`, body)

/** The age of a house in its row. */
async function ageOf(houseId: string): Promise<number | undefined> {
  const rows = await db.selectFrom('house_retention').selectAll().where('house_id', '=', houseId).execute()
  return rows[0]?.max_age
}

test('the owner sets, changes and removes the age, and each change has an entry but no event', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const ages = [daySeconds, daySeconds, 2_147_483_647, 3_600, null, null]
  const { events } = await watching(async () => {
    for (const max_age of ages) {
      const answer = await set(ann, den.id, { max_age, unknown: 1 })
      const data = { house_id: den.id, max_age, server_max_age: null, effective_max_age: max_age }
      expect(told(answer)).toEqual([200, { success: true, data }])
      expect(await ageOf(den.id)).toBe(max_age ?? undefined)
      expect((await call(ann, 'GET', `/houses/${den.id}/retention`)).body.data).toEqual(data)
    }
  })
  expect(events).toEqual([])
  const entries = await auditRows(den.id)
  expect(entries.map((entry) => [entry.action, entry.target_type, entry.target_id, entry.actor_id])).toEqual(
    Array(4).fill(['house_updated', 'house', den.id, ann.id]),
  )
  const key = 'messages_max_age'
  expect(entries.map(({ changes }) => changes)).toEqual([
    [{ key, old: null, new: daySeconds }],
    [{ key, old: daySeconds, new: 2_147_483_647 }],
    [{ key, old: 2_147_483_647, new: 3_600 }],
    [{ key, old: 3_600, new: null }],
  ])
})

test('an administrator and a plain member answer no_permission', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  await role(den, { allow: permission.ADMINISTRATOR, members: [ben] })
  for (const caller of [ben, cat]) {
    expect(told(await set(caller, den.id, { max_age: 3_600 }))).toEqual([400, noPermission])
  }
  expect(await ageOf(den.id)).toBeUndefined()
})

test('a stranger, a house that is not there and a missing token are refused', async () => {
  const [ann, cat] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, '1', 'den']) {
    expect(told(await set(cat, id, { max_age: 3_600 }))).toEqual([404, houseNotFound])
  }
})

test.each([
  {},
  { max_age: 3_599 },
  { max_age: 0 },
  { max_age: -3_600 },
  { max_age: 3_600.5 },
  { max_age: 2_147_483_648 },
  { max_age: '3600' },
  { max_age: false },
])('%j names max_age as the wrong field', async (body) => {
  const ann = await user()
  const den = await house({ owner: ann })
  expect(told(await set(ann, den.id, body))).toEqual([400, required('max_age')])
  expect(await ageOf(den.id)).toBeUndefined()
})

test('an age as long as that of the server is taken, and a longer one refused', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const path = `/houses/${den.id}/retention`
  const taken = await limited.call(ann, 'PUT', path, { max_age: daySeconds })
  expect([taken.status, taken.body.data.max_age]).toEqual([200, daySeconds])
  const refused = await limited.call(ann, 'PUT', path, { max_age: daySeconds + 1 })
  expect(told(refused)).toEqual([400, required('max_age')])
  expect(await ageOf(den.id)).toBe(daySeconds)
})

test('a new owner sets it, and the former one no longer does', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await call(ann, 'PATCH', `/houses/${den.id}/owner`, { user_id: ben.id })
  expect((await set(ben, den.id, { max_age: daySeconds })).status).toBe(200)
  expect(told(await set(ann, den.id, { max_age: null }))).toEqual([400, noPermission])
  expect(await ageOf(den.id)).toBe(daySeconds)
})

test('changes of several requests at once leave one of their ages', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const ages = Array.from({ length: 8 }, (_, n) => (n % 4 === 3 ? null : 3_600 + n))
  const answers = await Promise.all(ages.map((max_age) => set(ann, den.id, { max_age })))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(ages.map((age) => age ?? undefined)).toContain(await ageOf(den.id))
})

test('the age goes with its house', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await set(ann, den.id, { max_age: daySeconds })
  expect((await call(ann, 'DELETE', `/houses/${den.id}`)).status).toBe(204)
  expect(await ageOf(den.id)).toBeUndefined()
})
