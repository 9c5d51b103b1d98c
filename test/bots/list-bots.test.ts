import { expect, test } from 'vitest'
import { call, expectTime, uniqueName, user } from '../support/world.ts'

test("the caller's bots are listed with their users, oldest first", async () => {
  const ann = await user()
  await user({ bot_of: await user() })
  const made = []
  for (const username of [uniqueName('zoebot'), uniqueName('annbot')]) {
    made.push((await call(ann, 'POST', '/bots', { username, name: username })).body.data.user)
  }
  const answer = await call(ann, 'GET', '/bots')
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual(
    made.map((bot) => ({
      user: bot,
      owner_id: ann.id,
      public: false,
      created_at: expectTime,
    })),
  )
})

test('a user without bots, or a bot, gets an empty list', async () => {
  const ann = await user()
  expect((await call(ann, 'GET', '/bots')).body).toEqual({ success: true, data: [] })
  const bot = await user({ bot_of: ann })
  expect((await call(bot, 'GET', '/bots')).body).toEqual({ success: true, data: [] })
})
