import { expect, test } from 'vitest'
import { otherApp } from '../support/other-app.ts'
import { call, db, failure, user } from '../support/world.ts'

const refused = failure('no_permission', 'You do not have permission to do this')
const reserved = await otherApp({ houseCreation: 'admins' })

test('with HOUSE_CREATION=admins nobody else creates a house, bots included', async () => {
  const ann = await user()
  for (const caller of [ann, await user({ bot_of: ann })]) {
    const answer = await reserved.call(caller, 'POST', '/houses', { name: 'Den' })
    expect([answer.status, answer.body]).toEqual([400, refused])
    expect((await call(caller, 'GET', '/users/@me/houses')).body.data).toEqual([])
  }
})

test('with HOUSE_CREATION=admins an admin creates houses', async () => {
  const ann = await user()
  await db.updateTable('users').set({ admin: true }).where('id', '=', ann.id).execute()
  expect((await reserved.call(ann, 'POST', '/houses', { name: 'Den' })).status).toBe(200)
})

test('the fields of a house are checked before who asks', async () => {
  const answer = await reserved.call(await user(), 'POST', '/houses', {})
  expect(answer.body).toEqual(failure('invalid_schema', 'Required fields (name) not met'))
})
