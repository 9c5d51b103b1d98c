import { expect, test } from 'vitest'
import { ask, compactUser } from '../support/friendships.ts'
import { block, call, friends, noAuth, user } from '../support/world.ts'

const path = '/relationships/@me/friend-requests'

test('open requests come in two lists by direction, by username, without friends and blocked people', async () => {
  const [ann, zoe, ben, cat, dan, eve] = await Promise.all(
    ['ann', 'zoe', 'ben', 'cat', 'dan', 'eve'].map((username) => user({ username })),
  )
  await ask(ann!, zoe!)
  await ask(ann!, ben!)
  await ask(cat!, ann!)
  await friends(ann!, dan!)
  await block(ann!, eve!)
  const answer = await call(ann!, 'GET', path)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    data: { incoming: [compactUser(cat!)], outgoing: [compactUser(ben!), compactUser(zoe!)] },
  })
})

test('both lists are there when there is no request', async () => {
  const answer = await call(await user(), 'GET', path)
  expect(answer.body.data).toEqual({ incoming: [], outgoing: [] })
})

test('listing requests without a token, or with a faulty one, answers no_auth', async () => {
  for (const headers of [{}, { authorization: 'x' }]) {
    const answer = await call(null, 'GET', path, undefined, { headers })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noAuth)
  }
})
