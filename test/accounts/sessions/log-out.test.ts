import { expect, test } from 'vitest'
import { publishedAbout } from '../../support/published.ts'
import { call, db, noAuth, user } from '../../support/world.ts'

test('logout ends the login session of the token only', async () => {
  const ann = await user()
  const answer = await call(ann, 'POST', '/auth/logout')
  expect(answer.status).toBe(204)
  expect(answer.text).toBe('')
  expect(answer.headers['content-type']).toBeUndefined()
  expect(publishedAbout(ann.id, ann.session_id)).toEqual([
    { type: 'sessions_ended', session_ids: [ann.session_id] },
  ])
  expect(await db.selectFrom('sessions').select('id').where('user_id', '=', ann.id).execute()).toEqual([])
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect((await call(ann, 'POST', '/auth/logout')).body).toEqual(noAuth)
})

test('a bot can log out, with an empty JSON body', async () => {
  const bot = await user({ bot_of: await user() })
  expect((await call(bot, 'POST', '/auth/logout', {})).status).toBe(204)
})
