import { expect, test } from 'vitest'
import { ask, relations, updated } from '../support/friendships.ts'
import { publishedAbout } from '../support/published.ts'
import { block, call, failure, friends, published, user } from '../support/world.ts'

const path = (id: string) => `/relationships/@me/friends/${id}`
const notFriends = failure('not_friends', 'You are not friends with this user')

test('unfriending answers 204 without body and type, and sends an event to both', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const answer = await call(ann, 'DELETE', path(ben.id))
  expect(answer.status).toBe(204)
  expect(answer.text).toBe('')
  expect(answer.headers['content-type']).toBeUndefined()
  expect(await relations(ann, ben)).toEqual([0, 0])
  expect(publishedAbout(ann.id, ben.id)).toEqual([updated(ann, ben, 0), updated(ben, ann, 0)])
})

test('unfriending a user who is not a friend answers not_friends', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  await ask(ann, ben)
  await block(ann, cat)
  published.length = 0
  for (const id of [ben.id, cat.id, dan.id, ann.id, '1', '0', 'x', '@me', '99999999999999999999']) {
    const answer = await call(ann, 'DELETE', path(id))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(notFriends)
  }
  expect(await relations(ann, ben)).toEqual([1, 2])
  expect(await relations(ann, cat)).toEqual([5, 0])
  expect(publishedAbout(ann.id, ben.id, cat.id, dan.id)).toEqual([])
})

test('of two concurrent requests by both, one succeeds and one answers not_friends', async () => {
  const [ann, ben] = [await user(), await user()]
  await friends(ann, ben)
  const answers = await Promise.all([call(ann, 'DELETE', path(ben.id)), call(ben, 'DELETE', path(ann.id))])
  expect(answers.map((answer) => answer.status).sort()).toEqual([204, 400])
  expect(await relations(ann, ben)).toEqual([0, 0])
})
