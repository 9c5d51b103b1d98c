import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { firstIdAt, greatestId } from '../../../src/ids.ts'
import { crowd } from '../../support/crowds.ts'
import { compactUser } from '../../support/friendships.ts'
import { refusesWrongPages } from '../../support/messages.ts'
import { houseNotFound, noPermission, told } from '../../support/permissions.ts'
import { call, type Den, db, expectTime, house, type Person, role, user } from '../../support/world.ts'

test('bans are listed newest first, for members with EVICT_MEMBERS', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [dan] })
  const list = async () => (await call(dan, 'GET', `/houses/${den.id}/bans`)).body
  await role(den, { allow: permission.EVICT_MEMBERS, members: [dan] })
  expect(await list()).toEqual({ success: true, data: [] })
  for (const person of [ben, cat]) {
    await call(ann, 'PUT', `/houses/${den.id}/bans/${person.id}`, { reason: person.username })
  }
  expect((await list()).data).toEqual(
    [cat, ben].map((person) => ({
      house_id: den.id,
      user_id: person.id,
      user: compactUser(person),
      reason: person.username,
      created_by: ann.id,
      created_at: expectTime,
    })),
  )
})

test('bans have pages before, after and around the ban of a user', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  // In another order than that of the ids.
  const people = (await crowd(60)).map((id, place) => ({ id, minute: (place * 7) % 60 }))
  await db
    .insertInto('bans')
    .values(
      people.map(({ id, minute }) => ({
        house_id: den.id,
        user_id: id,
        created_by: ann.id,
        created_at: new Date(2026, 0, 1, 0, minute),
      })),
    )
    .execute()
  const order = people.toSorted((one, other) => other.minute - one.minute).map(({ id }) => id)
  const list = (query: string) => listUsers(ann, den, query)
  expect(await list('')).toEqual(order.slice(0, 50))
  expect(await list('?limit=100')).toEqual(order)
  expect(await list(`?before=${order[49]}`)).toEqual(order.slice(50))
  expect(await list(`?before=${order[59]}`)).toEqual([])
  expect(await list(`?before=${order[20]}&limit=3`)).toEqual(order.slice(21, 24))
  expect(await list(`?after=${order[20]}&limit=3`)).toEqual(order.slice(17, 20))
  expect(await list(`?around=${order[20]}&limit=5`)).toEqual(order.slice(18, 23))
  // The id of a user who is not banned stands for its time.
  expect(await list('?after=0&limit=2')).toEqual(order.slice(58))
  expect(await list(`?before=${greatestId}&limit=2`)).toEqual(order.slice(0, 2))
  const between = firstIdAt(new Date(2026, 0, 1, 0, 30, 30).getTime())
  expect(await list(`?before=${between}&limit=1`)).toEqual([order[29]])
  expect(await list(`?after=${between}&limit=1`)).toEqual([order[28]])
})

test('a ban of another house is not the start of a page', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const [den, other] = [await house({ owner: ann }), await house({ owner: ann })]
  await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, {})
  await call(ann, 'PUT', `/houses/${other.id}/bans/${cat.id}`, {})
  expect(await listUsers(ann, den, `?before=${cat.id}`)).toEqual([])
  expect(await listUsers(ann, den, `?after=${cat.id}`)).toEqual([ben.id])
})

async function listUsers(caller: Person, den: Den, query: string): Promise<string[]> {
  const answer = await call(caller, 'GET', `/houses/${den.id}/bans${query}`)
  expect(answer.status).toBe(200)
  return answer.body.data.map((ban: { user_id: string }) => ban.user_id)
}

test('a malformed page of bans answers invalid_schema', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await refusesWrongPages(ann, `/houses/${den.id}/bans`)
})

test('without EVICT_MEMBERS listing bans answers no_permission', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  expect(told(await call(ben, 'GET', `/houses/${den.id}/bans`))).toEqual([400, noPermission])
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, '1', 'x']) {
    expect(told(await call(ben, 'GET', `/houses/${id}/bans`))).toEqual([404, houseNotFound])
  }
})
