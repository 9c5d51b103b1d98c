import { expect, test } from 'vitest'
import { ask, compactUser } from '../support/friendships.ts'
import { refusesStrangers } from '../support/messages.ts'
import { call, friends, user } from '../support/world.ts'

const path = '/relationships/@me/friends'

test('friends are listed as compact users by username, whoever sent the request', async () => {
  // In another order than that of the usernames.
  const [ann, zoe, ben, cat] = [
    await user({ username: 'ann' }),
    await user({ username: 'zoe' }),
    await user({ username: 'ben' }),
    await user({ username: 'cat' }),
  ]
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

test('listing friends without a valid token answers no_auth', async () => {
  await refusesStrangers('GET', path)
})
