import { expect, test } from 'vitest'
import { ask, relations, updated } from '../support/friendships.ts'
import { publishedAbout } from '../support/published.ts'
import { gatewayUser } from '../support/rooms.ts'
import { failing } from '../support/statements.ts'
import { call, expectTime, failure, friends, published, user } from '../support/world.ts'

const path = (id: string) => `/relationships/@me/friend-requests/${id}`
const notFound = failure('friend_request_not_found', 'That friend request does not exist')

test('cancelling a request answers type 0 and sends an event to both', async () => {
  const [ann, ben] = [await user(), await user()]
  await ask(ann, ben)
  published.length = 0
  const answer = await call(ann, 'DELETE', path(ben.id))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({
    id: ben.id,
    user_id: ben.id,
    recipient_id: ann.id,
    user: gatewayUser(ben),
    type: 0,
    last_updated_at: expectTime,
  })
  expect(await relations(ann, ben)).toEqual([0, 0])
  expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, 0), updated(ben, ann, 0)])
})

test('declining a request answers type 0 and sends an event to both', async () => {
  const [ann, ben] = [await user(), await user()]
  await ask(ben, ann)
  published.length = 0
  const answer = await call(ann, 'DELETE', path(ben.id))
  expect(answer.body.data).toMatchObject({ user_id: ben.id, recipient_id: ann.id, type: 0 })
  expect(await relations(ann, ben)).toEqual([0, 0])
  expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, 0), updated(ben, ann, 0)])
})

test('without a request, also between friends, the answer is friend_request_not_found', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  await friends(ann, ben)
  await ask(ben, cat)
  published.length = 0
  for (const id of [ben.id, cat.id, ann.id, '1', '0', 'x', '%00']) {
    const answer = await call(ann, 'DELETE', path(id))
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(notFound)
  }
  expect(await relations(ann, ben)).toEqual([3, 3])
  expect(await relations(ben, cat)).toEqual([1, 2])
  expect(publishedAbout(ann.id, ben.id, cat.id)).toEqual([])
})

test('a database failure during a withdrawal keeps the request and sends no event', async () => {
  const [ann, ben] = [await user(), await user()]
  await ask(ann, ben)
  published.length = 0
  await failing(/from "users"/, async () => {
    expect((await call(ann, 'DELETE', path(ben.id))).status).toBe(503)
  })
  expect(await relations(ann, ben)).toEqual([1, 2])
  expect(publishedAbout(ann.id, ben.id)).toEqual([])
})

test('concurrent accepting and cancelling end in a friendship or no relation', async () => {
  for (let round = 0; round < 5; round++) {
    const [ann, ben] = [await user(), await user()]
    await ask(ann, ben)
    const [cancelled, accepted] = await Promise.all([call(ann, 'DELETE', path(ben.id)), ask(ben, ann)])
    expect([200, 404]).toContain(cancelled!.status)
    expect(accepted!.status).toBe(200)
    const end = cancelled!.status === 404 ? [3, 3] : [2, 1]
    expect(await relations(ann, ben)).toEqual(end)
  }
})
