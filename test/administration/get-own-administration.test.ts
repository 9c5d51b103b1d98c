import { expect, test } from 'vitest'
import { call, db, user } from '../support/world.ts'

test('says whether one is an admin of the server', async () => {
  const [ann, ben] = [await user(), await user()]
  await db.updateTable('users').set({ admin: true }).where('id', '=', ann.id).execute()
  const ask = async (person: typeof ann) => (await call(person, 'GET', '/users/@me/admin')).body.data
  expect(await ask(ann)).toEqual({ admin: true })
  expect(await ask(ben)).toEqual({ admin: false })
  expect((await call(null, 'GET', '/users/@me/admin')).body.error.code).toBe('no_auth')
})
