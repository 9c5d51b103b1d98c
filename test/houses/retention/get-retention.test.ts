import { expect, test } from 'vitest'
import { otherApp } from '../../support/other-app.ts'
import { houseNotFound, told } from '../../support/permissions.ts'
import { call, db, house, user } from '../../support/world.ts'

const daySeconds = 86_400

test('every member reads how long messages stay, at first without an end', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const answer = await call(ben, 'GET', `/houses/${den.id}/retention`)
  const data = { house_id: den.id, max_age: null, server_max_age: null, effective_max_age: null }
  expect(told(answer)).toEqual([200, { success: true, data }])
})

test.each([
  ['none, if the house has none', null, daySeconds],
  ['a shorter one', 3_600, 3_600],
  ['one that was longer than the server has now', 2 * daySeconds, daySeconds],
])('on a server with a limit the shorter of both holds: %s', async (_name, max_age, effective_max_age) => {
  const ann = await user()
  const den = await house({ owner: ann })
  if (max_age !== null) await db.insertInto('house_retention').values({ house_id: den.id, max_age }).execute()
  const limited = await otherApp({ messagesMaxAgeMs: daySeconds * 1_000 })
  const { data } = (await limited.call(ann, 'GET', `/houses/${den.id}/retention`)).body
  expect(data).toEqual({ house_id: den.id, max_age, server_max_age: daySeconds, effective_max_age })
})

test('nobody else reads it, nor that of a house that is not there', async () => {
  const [ann, cat] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, '1', 'den']) {
    expect(told(await call(cat, 'GET', `/houses/${id}/retention`))).toEqual([404, houseNotFound])
  }
})
