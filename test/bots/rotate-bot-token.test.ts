import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { refusesForeignBots } from '../support/bots.ts'
import { publishedAbout } from '../support/published.ts'
import { untilWaiting } from '../support/waiting.ts'
import { call, db, noAuth, user } from '../support/world.ts'

test('a new token works, and the old one is invalid at once', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const answer = await call(ann, 'POST', `/bots/${bot.id}/token`)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ token: expect.stringMatching(/^[0-9a-f]{128}$/) })
  expect(publishedAbout(bot.id, bot.session_id)).toEqual([
    { type: 'sessions_ended', session_ids: [bot.session_id] },
  ])
  expect((await call(bot, 'GET', '/users/@me')).body).toEqual(noAuth)
  const fresh = { ...bot, token: answer.body.data.token }
  expect((await call(fresh, 'GET', '/users/@me')).status).toBe(200)
})

test('only the last of several concurrent new tokens works', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const asking = await db.transaction().execute(async (trx) => {
    await sql`select from sessions where user_id = ${bot.id} for update`.execute(trx)
    const requests = [1, 2, 3, 4].map(() => call(ann, 'POST', `/bots/${bot.id}/token`, {}))
    await untilWaiting(requests.length)
    return requests
  })
  const answers = await Promise.all(asking)
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  const tries = await Promise.all(
    answers.map((answer) => call({ ...bot, token: answer.body.data.token }, 'GET', '/users/@me')),
  )
  expect(tries.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400])
  const rows = await db.selectFrom('sessions').select('id').where('user_id', '=', bot.id).execute()
  expect(rows).toHaveLength(1)
})

test('a foreign bot, a person and an unknown id answer bot_not_found', async () => {
  await refusesForeignBots((caller, id) => call(caller, 'POST', `/bots/${id}/token`))
})
