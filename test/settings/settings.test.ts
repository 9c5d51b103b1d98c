import { expect, test } from 'vitest'
import { call, db, failure, house, houseRoom, noAuth, oneToOne, published, user } from '../support/world.ts'

const path = '/users/@me/settings'

test('settings that nobody has set have their defaults', async () => {
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
})

test('an edit changes the named settings alone, and says nothing when nothing changes', async () => {
  const ann = await user()
  published.length = 0
  const answer = await call(ann, 'PATCH', path, { theme: 'dark', onboarded: true })
  expect(answer.body.data).toMatchObject({
    theme: 'dark',
    onboarded: true,
    enable_desktop_notifications: null,
  })
  const second = await call(ann, 'PATCH', path, { enable_desktop_notifications: false, theme: null, x: 1 })
  expect(second.body.data).toMatchObject({
    theme: null,
    onboarded: true,
    enable_desktop_notifications: false,
  })
  const event = { type: 'settings_updated', user_id: ann.id }
  expect(published).toEqual([event, event])
  await call(ann, 'PATCH', path, { onboarded: true })
  await call(ann, 'PATCH', path, { unknown: true })
  expect(published).toHaveLength(2)
  expect((await call(ann, 'GET', path)).body.data).toEqual(second.body.data)
})

test('an empty body and wrong values are refused', async () => {
  const ann = await user()
  const cases: [unknown, string][] = [
    [undefined, 'JSON body cannot be empty'],
    [{}, 'JSON body cannot be empty'],
    [null, 'JSON body cannot be empty'],
    [{ theme: 'light', onboarded: null }, 'Invalid fields (theme, onboarded)'],
    [{ enable_desktop_notifications: 1 }, 'Invalid fields (enable_desktop_notifications)'],
  ]
  for (const [body, message] of cases) {
    expect((await call(ann, 'PATCH', path, body)).body).toEqual(failure('invalid_schema', message))
  }
})

test('what to hear of a room is kept for whoever can read it', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: bob, members: [ann] })
  const hidden = await houseRoom(den, { default_deny: 2 })
  const pair = await oneToOne(bob, await user())
  published.length = 0
  const set = (room: string, body: unknown) => call(ann, 'PUT', `${path}/room_overrides/${room}`, body)
  const answer = await set(den.room_id, { notification_preference: 2 })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ room_id: den.room_id, notification_preference: 2 })
  await set(den.room_id, { notification_preference: 2 })
  expect(published).toEqual([{ type: 'settings_updated', user_id: ann.id }])
  expect((await call(ann, 'GET', path)).body.data.room_overrides).toEqual({
    [den.room_id]: { notification_preference: 2 },
  })
  for (const room of [hidden, pair, '1', 'x']) {
    const refused = await set(room, { notification_preference: 0 })
    expect(refused.status).toBe(404)
    expect(refused.body).toEqual(failure('room_not_found', 'That room does not exist'))
  }
  for (const body of [{}, { notification_preference: 3 }, { notification_preference: '1' }]) {
    expect((await set(den.room_id, body)).body.error.message).toBe(
      'Required fields (notification_preference) not met',
    )
  }
  expect(await db.selectFrom('room_settings').select('room_id').execute()).toHaveLength(1)
})

test('without a token all three answer no_auth', async () => {
  expect((await call(null, 'GET', path)).body).toEqual(noAuth)
  expect((await call(null, 'PATCH', path, {})).body).toEqual(noAuth)
  expect((await call(null, 'PUT', `${path}/room_overrides/1`, {})).body).toEqual(noAuth)
})
