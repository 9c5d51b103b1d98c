import { expect, test } from 'vitest'
import { password, personOf, resident } from '../support/accounts.ts'
import { refusesStrangers } from '../support/messages.ts'
import { call, db, expectTime, user } from '../support/world.ts'

const path = '/users/@me/sessions'

test("the own login sessions are listed, newest first, and nobody else's", async () => {
  const ann = await resident('ann')
  await resident('bob')
  const headers = { 'user-agent': 'Phone/2' }
  const phone = await personOf(
    await call(null, 'POST', '/auth/login', { login: 'ann', password }, { headers }),
  )
  const answer = await call(ann, 'GET', path)
  expect(answer.status).toBe(200)
  const iso = expectTime
  const common = { created_at: iso, last_seen_at: iso, address: '127.0.0.1' }
  expect(answer.body.data).toEqual([
    { ...common, id: phone.session_id, client: 'Phone/2', current: false },
    { ...common, id: ann.session_id, client: 'lightMyRequest', current: true },
  ])
})

test('a session was last seen no earlier than it was made', async () => {
  const ann = await user()
  await db
    .updateTable('sessions')
    .set({ last_seen_at: new Date(0) })
    .where('id', '=', ann.session_id)
    .execute()
  const [session] = (await call(ann, 'GET', path)).body.data
  expect(session.last_seen_at).toBe(session.created_at)
})

test('a bot lists its session too', async () => {
  const bot = await user({ bot_of: await user() })
  const answer = await call(bot, 'GET', path)
  expect(answer.body.data).toMatchObject([{ id: bot.session_id, current: true }])
})

test('without a token, or with a faulty one, listing sessions answers no_auth', async () => {
  await refusesStrangers('GET', path)
})
