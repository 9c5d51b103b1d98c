import { expect, test } from 'vitest'
import { password, personOf, resident } from '../../support/accounts.ts'
import { told } from '../../support/permissions.ts'
import { publishedAbout } from '../../support/published.ts'
import { call, db, failure, noAuth, type Person, user } from '../../support/world.ts'

const path = '/users/@me/sessions'
const unknown = failure('session_not_found', 'That session does not exist')

/** Another login session of somebody. */
async function anotherOf({ username }: Person): Promise<Person> {
  return personOf(await call(null, 'POST', '/auth/login', { login: username, password }))
}

async function sessionsOf({ id }: Person): Promise<string[]> {
  const rows = await db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()
  return rows.map((row) => row.id)
}

test("an ended session's token is invalid, for a bot too", async () => {
  const ann = await user()
  for (const person of [ann, await user({ bot_of: ann })]) {
    const answer = await call(person, 'DELETE', `${path}/${person.session_id}`)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({ id: person.session_id })
    expect(publishedAbout(person.id, person.session_id)).toEqual([
      { type: 'sessions_ended', session_ids: [person.session_id] },
    ])
    expect(await sessionsOf(person)).toEqual([])
    expect((await call(person, 'GET', path)).body).toEqual(noAuth)
  }
})

test('ending another session keeps the session of the request', async () => {
  const bob = await resident('bob')
  const phone = await anotherOf(bob)
  expect((await call(bob, 'DELETE', `${path}/${phone.session_id}`)).status).toBe(200)
  expect((await call(phone, 'GET', path)).body).toEqual(noAuth)
  expect(await sessionsOf(bob)).toEqual([bob.session_id])
})

test('a foreign, unknown or ended session, or no id, answers session_not_found', async () => {
  const [ann, bob] = [await user(), await resident('cem')]
  const ended = await anotherOf(bob)
  await call(bob, 'DELETE', `${path}/${ended.session_id}`)
  for (const id of [bob.session_id, ended.session_id, '1', 'x', '0']) {
    expect(told(await call(ann, 'DELETE', `${path}/${id}`))).toEqual([404, unknown])
  }
  expect(publishedAbout(ann.id, ann.session_id, bob.id, bob.session_id)).toEqual([])
  expect((await call(bob, 'GET', path)).status).toBe(200)
})

test('a session ended by concurrent requests is ended once', async () => {
  const dan = await resident('dan')
  const phone = await anotherOf(dan)
  const answers = await Promise.all([1, 2].map(() => call(dan, 'DELETE', `${path}/${phone.session_id}`)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
})
