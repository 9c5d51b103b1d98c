import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import { banNotFound, houseNotFound, noPermission, told } from '../../support/permissions.ts'
import { call, db, house, role, user } from '../../support/world.ts'

/** A house with two banned users. */
async function withBans() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  for (const person of [ben, cat]) await call(ann, 'PUT', `/houses/${den.id}/bans/${person.id}`)
  return { ann, ben, cat, den }
}

async function bannedFrom(houseId: string): Promise<string[]> {
  const rows = await db.selectFrom('bans').select('user_id').where('house_id', '=', houseId).execute()
  return rows.map((row) => row.user_id)
}

test('lifting a ban returns both ids, lets the user rejoin, and sends no event', async () => {
  const { ann, ben, cat, den } = await withBans()
  const { answer, events } = await watching(() => call(ann, 'DELETE', `/houses/${den.id}/bans/${cat.id}`))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ house_id: den.id, user_id: cat.id })
  expect(events).toEqual([])
  expect(await bannedFrom(den.id)).toEqual([ben.id])
  const { code } = (await call(ann, 'POST', `/houses/${den.id}/invites`)).body.data
  expect((await call(cat, 'POST', `/invites/${code}`)).status).toBe(200)
})

test('lifting a ban keeps bans of other houses', async () => {
  const [{ ann, ben, den }, other] = [await withBans(), await withBans()]
  await call(other.ann, 'PUT', `/houses/${other.den.id}/bans/${ben.id}`)
  await call(ann, 'DELETE', `/houses/${den.id}/bans/${ben.id}`)
  expect(await bannedFrom(other.den.id)).toContain(ben.id)
})

test('a missing ban, also one lifted concurrently, answers ban_not_found', async () => {
  const { ann, cat, den } = await withBans()
  const lift = (id: string) => call(ann, 'DELETE', `/houses/${den.id}/bans/${id}`)
  const answers = await Promise.all([lift(cat.id), lift(cat.id), lift(cat.id)])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404])
  for (const id of [cat.id, ann.id, '1', 'x']) expect(told(await lift(id))).toEqual([404, banNotFound])
})

test('without EVICT_MEMBERS lifting a ban answers no_permission, whether there is one or not', async () => {
  const { ben, den } = await withBans()
  const dan = await user()
  await db.insertInto('members').values({ house_id: den.id, user_id: dan.id }).execute()
  for (const id of [ben.id, '1']) {
    expect(told(await call(dan, 'DELETE', `/houses/${den.id}/bans/${id}`))).toEqual([400, noPermission])
  }
  expect(await bannedFrom(den.id)).toContain(ben.id)
  await role(den, { allow: permission.EVICT_MEMBERS, members: [dan] })
  expect((await call(dan, 'DELETE', `/houses/${den.id}/bans/${ben.id}`)).status).toBe(200)
})

test('a foreign or unknown house answers house_not_found', async () => {
  const { cat, den } = await withBans()
  for (const id of [den.id, '1', 'x']) {
    const answer = await call(cat, 'DELETE', `/houses/${id}/bans/${cat.id}`)
    expect(told(answer)).toEqual([404, houseNotFound])
  }
  expect(await bannedFrom(den.id)).toContain(cat.id)
})
