import { expect, test } from 'vitest'
import { required, roomNotFound, told } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { call, db, house, houseRoom, oneToOne, type Person, user } from '../support/world.ts'

const path = '/users/@me/settings'

function set(person: Person, room: string, body: unknown) {
  return call(person, 'PUT', `${path}/room_overrides/${room}`, body)
}

function rowsOf(person: Person) {
  return db.selectFrom('room_settings').selectAll().where('user_id', '=', person.id).execute()
}

test('a preference for a readable room is stored, and a change sends one event', async () => {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: bob, members: [ann] })
  const answer = await set(ann, room_id, { notification_preference: 2 })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ room_id, notification_preference: 2 })
  await set(ann, room_id, { notification_preference: 2 })
  expect(publishedAbout(ann.id)).toEqual([{ type: 'settings_updated', user_id: ann.id }])
  expect((await call(ann, 'GET', path)).body.data.room_overrides).toEqual({
    [room_id]: { notification_preference: 2 },
  })
  expect(await rowsOf(ann)).toEqual([{ user_id: ann.id, room_id, notification_preference: 2 }])
  await set(ann, room_id, { notification_preference: 0 })
  expect(await rowsOf(ann)).toEqual([{ user_id: ann.id, room_id, notification_preference: 0 }])
})

test('a room the caller cannot read answers room_not_found', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: bob, members: [ann] })
  const hidden = await houseRoom(den, { default_deny: 2 })
  const pair = await oneToOne(bob, await user())
  for (const room of [hidden, pair, '1', 'x']) {
    const refused = await set(ann, room, { notification_preference: 0 })
    expect(told(refused)).toEqual([404, roomNotFound])
  }
  expect(await rowsOf(ann)).toEqual([])
})

test('a missing or wrong preference answers invalid_schema', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const wrong = [-1, 3, 0.5, '1', null].map((notification_preference) => ({ notification_preference }))
  for (const body of [undefined, {}, ...wrong]) {
    expect(told(await set(ann, room_id, body))).toEqual([400, required('notification_preference')])
  }
  expect(await rowsOf(ann)).toEqual([])
})

test('a user who is leaving the house gets room_not_found, and nothing is stored', async () => {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: bob, members: [ann] })
  const answer = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('members').where('user_id', '=', ann.id).execute()
    // For other transactions the user is a member until this one commits.
    return set(ann, den.room_id, { notification_preference: 1 })
  })
  expect(told(answer)).toEqual([404, roomNotFound])
  expect(await rowsOf(ann)).toEqual([])
})
