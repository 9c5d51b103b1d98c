import { expect, test } from 'vitest'
import { ask, compactUser } from '../support/friendships.ts'
import { call, friends, uniqueName, user } from '../support/world.ts'

const path = '/relationships/@me/friends'

test('friends are listed as compact users by username, whoever sent the request', async () => {
  // In another order than that of the usernames.
  const named = (begin: string) => user({ username: uniqueName(begin) })
  const [zoe, ben, ann, cat] = [await named('zoe'), await named('ben'), await user(), await user()]
  await friends(zoe, ann)
  await friends(ann, ben)
  await friends(ben, cat)
  await ask(cat, ann)
  const answer = await call(ann, 'GET', path)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: [compactUser(ben), compactUser(zoe)] })
})

test('without friends the list is empty', async () => {
  expect((await call(await user(), 'GET', path)).body).toEqual({ success: true, data: [] })
})
