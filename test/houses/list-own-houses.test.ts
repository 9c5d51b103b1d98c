import { expect, test } from 'vitest'
import { houseSummary } from '../support/houses.ts'
import { call, db, house, user } from '../support/world.ts'

const path = '/users/@me/houses'

test("the caller's houses are listed in order of joining", async () => {
  const [ann, ben] = [await user(), await user()]
  const [first, second] = [await house({ owner: ann }), await house({ owner: ann, members: [ben] })]
  await db.insertInto('members').values({ house_id: first.id, user_id: ben.id }).execute()
  const { status, body } = await call(ben, 'GET', path)
  expect(status).toBe(200)
  expect(body.data).toEqual([second, first].map((den) => houseSummary(den, 2)))
})

test('a former house is not listed; a user without houses gets an empty list', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await call(ben, 'DELETE', `/users/@me/houses/${den.id}`)
  for (const person of [ben, await user()]) {
    expect((await call(person, 'GET', path)).body).toEqual({ success: true, data: [] })
  }
})
