import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { crowd } from '../support/crowds.ts'
import { ask, relations, updated } from '../support/friendships.ts'
import { noPermission } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { erase, gatewayUser } from '../support/rooms.ts'
import { untilWaiting } from '../support/waiting.ts'
import { block, call, db, expectTime, failure, friends, noAuth, published, user } from '../support/world.ts'

const path = '/relationships/@me/friend-requests'
const required = failure('invalid_schema', 'Required fields (user_id) not met')

test('a request answers the outgoing request and sends an event to both', async () => {
  const [ann, ben] = [await user(), await user()]
  const answer = await ask(ann, ben)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    data: {
      id: ben.id,
      user_id: ben.id,
      recipient_id: ann.id,
      user: gatewayUser(ben),
      type: 1,
      last_updated_at: expectTime,
    },
  })
  expect(await relations(ann, ben)).toEqual([1, 2])
  expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, 1), updated(ben, ann, 2)])
  const row = await db.selectFrom('friend_requests').selectAll().where('from_id', '=', ann.id).execute()
  expect(row).toEqual([
    { from_id: ann.id, to_id: ben.id, created_at: new Date(answer.body.data.last_updated_at) },
  ])
})

test('a request in return accepts, and sends an event to both', async () => {
  const [ann, ben] = [await user(), await user()]
  await ask(ann, ben)
  published.length = 0
  const answer = await ask(ben, ann)
  expect(answer.body.data).toMatchObject({ user_id: ann.id, recipient_id: ben.id, type: 3 })
  expect(await relations(ann, ben)).toEqual([3, 3])
  expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ben, ann, 3), updated(ann, ben, 3)])
  expect(await db.selectFrom('friend_requests').selectAll().where('from_id', '=', ann.id).execute()).toEqual(
    [],
  )
})

test('accepting a request that is withdrawn concurrently sends one instead', async () => {
  const [ann, ben] = [await user(), await user()]
  await ask(ann, ben)
  const [accepting] = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('friend_requests').where('from_id', '=', ann.id).execute()
    const accepting = ask(ben, ann)
    await untilWaiting(1)
    return [accepting]
  })
  expect((await accepting!).body.data).toMatchObject({ user_id: ann.id, type: 1 })
  expect(await relations(ben, ann)).toEqual([1, 2])
})

test('a repeated request, or one to a friend, answers the present relation and sends no event', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const first = await ask(ann, ben)
  await friends(ann, cat)
  published.length = 0
  expect((await ask(ann, ben)).body).toEqual(first.body)
  expect((await ask(ann, cat)).body.data).toMatchObject({ user_id: cat.id, type: 3 })
  expect(publishedAbout(ann.id, ben.id, cat.id)).toEqual([])
})

test('concurrent requests in both directions end as a friendship', async () => {
  const pairs = await Promise.all(
    Array.from({ length: 6 }, async () => [await user(), await user()] as const),
  )
  const answers = await Promise.all(pairs.flatMap(([one, other]) => [ask(one, other), ask(other, one)]))
  expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(200))
  expect(answers.map((answer) => answer.body.data.type).sort()).toEqual([
    ...Array(6).fill(1),
    ...Array(6).fill(3),
  ])
  for (const [one, other] of pairs) expect(await relations(one, other)).toEqual([3, 3])
  expect(publishedAbout(...pairs.flat().map(({ id }) => id))).toHaveLength(24)
})

test('twelve equal concurrent requests create one', async () => {
  const [ann, ben] = [await user(), await user()]
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(ann, ben)))
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(publishedAbout(ann.id, ben.id)).toHaveLength(2)
})

test('a missing or wrong user_id, or the own id, answers invalid_schema', async () => {
  const ann = await user()
  for (const body of [undefined, {}, { user: '1' }, { user_id: null }, { user_id: 5 }, { user_id: ann.id }]) {
    const answer = await call(ann, 'POST', path, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(required)
  }
})

test('an unknown or deleted user, or no id, answers user_not_found', async () => {
  const [ann, gone] = [await user(), await user()]
  await erase(gone)
  for (const user_id of ['1', '0', 'ben', '', '-1', gone.id]) {
    const answer = await call(ann, 'POST', path, { user_id })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(failure('user_not_found', 'That user does not exist'))
  }
})

test('a request by an account that is being deleted answers no_auth', async () => {
  const [ann, ben] = [await user(), await user()]
  const [asking] = await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', ann.id).execute()
    const asking = ask(ann, ben)
    await untilWaiting(1)
    return [asking]
  })
  expect((await asking!).body).toEqual(noAuth)
  expect((await call(ben, 'GET', '/relationships/@me/friend-requests')).body.data.incoming).toEqual([])
})

test('a block or restriction in either direction answers no_permission', async () => {
  const ann = await user()
  for (const type of [4, 5] as const) {
    const [byMe, byThem] = [await user(), await user()]
    await block(ann, byMe, type)
    await block(byThem, ann, type)
    for (const other of [byMe, byThem]) {
      const answer = await ask(ann, other)
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(noPermission)
    }
    expect(publishedAbout(ann.id, byMe.id, byThem.id)).toEqual([])
  }
})

test('past 1,000 friends and requests of either user a request answers limit_reached; accepting works', async () => {
  const [ann, ben, early] = [await user(), await user(), await user()]
  await ask(early, ann)
  const people = await crowd(999)
  await db
    .insertInto('friendships')
    .values(people.slice(0, 500).map((id) => ({ user_low: ann.id, user_high: id })))
    .execute()
  await db
    .insertInto('friend_requests')
    .values(
      people
        .slice(500)
        .map((id, index) =>
          index % 2 === 0 ? { from_id: ann.id, to_id: id } : { from_id: id, to_id: ann.id },
        ),
    )
    .execute()
  const full = failure('limit_reached', 'You have reached a limit (friends)')
  for (const [caller, other] of [
    [ann, ben],
    [ben, ann],
  ] as const) {
    const answer = await ask(caller, other)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(full)
  }
  expect((await ask(ann, early)).body.data.type).toBe(3)
  await call(ann, 'DELETE', `/relationships/@me/friends/${early.id}`)
  expect((await ask(ben, ann)).status).toBe(200)
})

test('a request that is aborted by a deadlock answers 503 and changes nothing', async () => {
  const [ann, ben] = [await user(), await user()]
  const [asking, locking] = await db.transaction().execute(async (rival) => {
    // Only the request detects deadlocks, so PostgreSQL aborts the request.
    await sql`set local deadlock_timeout = '1h'`.execute(rival)
    await sql`select from users where id = ${ben.id} for update`.execute(rival)
    const asking = ask(ann, ben)
    await untilWaiting(1)
    return [asking, await sql`select from users where id = ${ann.id} for update`.execute(rival)]
  })
  expect(locking.rows).toHaveLength(1)
  const answer = await asking
  expect([answer.status, answer.body]).toEqual([
    503,
    failure('unavailable', 'The service is temporarily unavailable'),
  ])
  expect(await relations(ann, ben)).toEqual([0, 0])
})
