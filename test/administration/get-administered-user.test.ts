import { expect, test } from 'vitest'
import { password, resident } from '../support/accounts.ts'
import { webhook } from '../support/webhooks.ts'
import { admin, call, db, failure, group, house, message, type Person, user } from '../support/world.ts'

const ruler = await admin()
const unknown = failure('user_not_found', 'That user does not exist')
async function file(roomId: string, author: Person, size: number): Promise<void> {
  const id = await message(roomId, author)
  const attachment = JSON.stringify({ key: 'k', filename: 'f', content_type: 'x', size, dimensions: null })
  await db.updateTable('messages').set({ attachment }).where('id', '=', id).execute()
}

test('an account is shown with its private fields, times and storage', async () => {
  const ann = await resident()
  const den = await house({ owner: ann })
  await file(den.room_id, ann, 3_000_000_000)
  await file(await group(ann), ann, 5)
  const { body } = await call(ruler, 'GET', `/admin/users/${ann.id}`)
  const { created_at, last_seen_at, ...shown } = body.data
  expect(shown).toEqual({
    user: (await call(ann, 'GET', '/users/@me')).body.data,
    email: ann.email,
    disabled: false,
    admin: false,
    storage_bytes: 3_000_000_005,
  })
  expect(Date.parse(last_seen_at)).toBeGreaterThan(Date.parse(created_at) - 1000)
})

test('an account without a login session was never seen', async () => {
  const ann = await user()
  await call(ann, 'POST', '/auth/logout')
  expect((await call(ruler, 'GET', `/admin/users/${ann.id}`)).body.data.last_seen_at).toBeNull()
})

test('the account of a webhook is not found, and stays as it is', async () => {
  const { id } = await webhook(await house({ owner: await user() }))
  expect((await call(ruler, 'GET', `/admin/users?q=${id}`)).body.data).toEqual([])
  const path = `/admin/users/${id}`
  expect((await call(ruler, 'GET', path)).body).toEqual(unknown)
  expect((await call(ruler, 'PATCH', path, { disabled: true })).body).toEqual(unknown)
  expect((await call(ruler, 'DELETE', `${path}/sessions`)).body).toEqual(unknown)
  expect((await call(ruler, 'DELETE', path)).body).toEqual(unknown)
  expect((await call(ruler, 'GET', `/users/${id}`)).status).toBe(200)
})

test('deleted accounts are not found', async () => {
  const ann = await resident()
  await call(ann, 'DELETE', '/users/@me', { password })
  expect((await call(ruler, 'GET', `/admin/users/${ann.id}`)).body).toEqual(unknown)
  expect((await call(ruler, 'GET', `/admin/users?q=${ann.id}`)).body.data).toEqual([])
})
