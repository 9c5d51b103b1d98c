import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { houseRow, watching } from '../support/houses.ts'
import { houseNotFound, noPermission, told } from '../support/permissions.ts'
import { isDiscarded } from '../support/store.ts'
import { call, db, house, type Person, role, user } from '../support/world.ts'

const icon = `${'b'.repeat(40)}.webp`

/** A house with an icon. */
async function withIcon(...members: Person[]) {
  const owner = await user()
  const den = await house({ owner, members })
  await db.updateTable('houses').set({ icon }).where('id', '=', den.id).execute()
  return { ...den, remove: (caller: Person) => call(caller, 'DELETE', `/houses/${den.id}/icon`) }
}

test('removal returns name and id, discards the file, and sends one event', async () => {
  const den = await withIcon()
  const { answer, events } = await watching(() => den.remove(den.owner))
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: { name: 'Den', house_id: den.id } })
  expect(events).toEqual([{ type: 'house_updated', house_id: den.id }])
  expect((await houseRow(den.id))?.icon).toBe(null)
  expect(await isDiscarded(`houses/${den.id}/icons/${icon}`)).toBe(true)
  const again = await watching(() => den.remove(den.owner))
  expect([again.answer.status, again.answer.body]).toEqual([200, answer.body])
  expect(again.events).toEqual([])
})

test('concurrent removals all succeed, and send one event', async () => {
  const den = await withIcon()
  const { answer, events } = await watching(() => Promise.all([1, 2, 3].map(() => den.remove(den.owner))))
  expect(answer.map((one) => one.status)).toEqual([200, 200, 200])
  expect(events).toHaveLength(1)
})

test('a member without ADMINISTRATOR gets no_permission', async () => {
  const ben = await user()
  const den = await withIcon(ben)
  expect(told(await den.remove(ben))).toEqual([400, noPermission])
  expect((await houseRow(den.id))?.icon).toBe(icon)
  await role(den, { allow: permission.ADMINISTRATOR, members: [ben] })
  expect((await den.remove(ben)).status).toBe(200)
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [den, cat] = [await withIcon(), await user()]
  expect(told(await den.remove(cat))).toEqual([404, houseNotFound])
  for (const id of ['1', 'x']) {
    expect(told(await call(cat, 'DELETE', `/houses/${id}/icon`))).toEqual([404, houseNotFound])
  }
  expect((await houseRow(den.id))?.icon).toBe(icon)
})
