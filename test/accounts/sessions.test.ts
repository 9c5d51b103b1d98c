import { expect, test } from 'vitest'
import { password, personOf, resident } from '../support/accounts.ts'
import { call, failure, noAuth, published, user } from '../support/world.ts'

const path = '/users/@me/sessions'
const unknown = failure('session_not_found', 'That session does not exist')

test('the own login sessions are listed, newest first', async () => {
  const ann = await resident('ann')
  const headers = { 'user-agent': 'Phone/2' }
  const phone = await personOf(
    await call(null, 'POST', '/auth/login', { login: 'ann', password }, { headers }),
  )
  const answer = await call(ann, 'GET', path)
  expect(answer.status).toBe(200)
  const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const common = { created_at: iso, last_seen_at: iso, address: '127.0.0.1' }
  expect(answer.body.data).toEqual([
    { ...common, id: phone.session_id, client: 'Phone/2', current: false },
    { ...common, id: ann.session_id, client: 'lightMyRequest', current: true },
  ])
})

test('ending a session makes its token worthless; a bot may do so too', async () => {
  const ann = await user()
  for (const person of [ann, await user({ bot_of: ann })]) {
    published.length = 0
    const answer = await call(person, 'DELETE', `${path}/${person.session_id}`)
    expect(answer.body.data).toEqual({ id: person.session_id })
    expect(published).toEqual([{ type: 'sessions_ended', session_ids: [person.session_id] }])
    expect((await call(person, 'GET', path)).body).toEqual(noAuth)
  }
})

test("another's session, an unknown one and what is no id answer session_not_found", async () => {
  const [ann, bob] = [await user(), await user()]
  for (const id of [bob.session_id, '1', 'x', '0']) {
    const answer = await call(ann, 'DELETE', `${path}/${id}`)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(unknown)
  }
  expect((await call(bob, 'GET', path)).status).toBe(200)
})

test('without a token both answer no_auth', async () => {
  expect((await call(null, 'GET', path)).body).toEqual(noAuth)
  expect((await call(null, 'DELETE', `${path}/1`)).body).toEqual(noAuth)
})
