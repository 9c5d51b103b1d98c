import { expect, test } from 'vitest'
import { refusesStrangers } from '../support/messages.ts'
import { call, expectTime, user } from '../support/world.ts'

test("the own bots are listed with their users, oldest first, and nobody else's", async () => {
  const ann = await user()
  await user({ bot_of: await user() })
  const made = []
  for (const username of ['zoebot', 'annbot']) {
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

test('who has no bots is answered an empty list, a bot too', async () => {
  const ann = await user()
  expect((await call(ann, 'GET', '/bots')).body).toEqual({ success: true, data: [] })
  const bot = await user({ bot_of: ann })
  expect((await call(bot, 'GET', '/bots')).body).toEqual({ success: true, data: [] })
})

test('without a token, or with a faulty one, listing bots answers no_auth', async () => {
  await refusesStrangers('GET', '/bots')
})
