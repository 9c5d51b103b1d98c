import { expect, test } from 'vitest'
import { call, db, house, user } from '../support/world.ts'

const path = '/users/@me/settings'

test('settings that were never set have defaults and no row', async () => {
  const ann = await user()
  const answer = await call(ann, 'GET', path)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({
    user_id: ann.id,
    theme: null,
    room_overrides: {},
    onboarded: false,
    enable_desktop_notifications: null,
  })
  const rows = await db.selectFrom('settings').selectAll().where('user_id', '=', ann.id).execute()
  expect(rows).toEqual([])
})

test("settings are returned as set, with the caller's overrides only", async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  await call(ann, 'PATCH', path, { theme: 'dark', onboarded: true, enable_desktop_notifications: true })
  await call(ann, 'PUT', `${path}/room_overrides/${den.room_id}`, { notification_preference: 1 })
  expect((await call(ann, 'GET', path)).body.data).toEqual({
    user_id: ann.id,
    theme: 'dark',
    room_overrides: { [den.room_id]: { notification_preference: 1 } },
    onboarded: true,
    enable_desktop_notifications: true,
  })
  const { theme, room_overrides } = (await call(bob, 'GET', path)).body.data
  expect([theme, room_overrides]).toEqual([null, {}])
})
