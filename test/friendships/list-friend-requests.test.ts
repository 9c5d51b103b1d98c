import { expect, test } from 'vitest'
import { ask, compactUser } from '../support/friendships.ts'
import { block, call, friends, uniqueName, user } from '../support/world.ts'

const path = '/relationships/@me/friend-requests'

test('open requests are listed by direction, then username, without friends and blocked users', async () => {
  // In another order than that of the usernames.
  const named = (begin: string) => user({ username: uniqueName(begin) })
  const [zoe, yan, ben] = [await named('zoe'), await named('yan'), await named('ben')]
  const [ann, cat, dan, eve] = [await user(), await user(), await user(), await user()]
  for (const asked of [zoe, yan, ben]) await ask(ann, asked)
  await ask(cat, ann)
  await friends(ann, dan)
  await block(ann, eve)
  const answer = await call(ann, 'GET', path)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    data: { incoming: [compactUser(cat)], outgoing: [ben, yan, zoe].map(compactUser) },
  })
})

test('both lists are empty without requests', async () => {
  const answer = await call(await user(), 'GET', path)
  expect(answer.body.data).toEqual({ incoming: [], outgoing: [] })
})
