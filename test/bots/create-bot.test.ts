import { expect, test } from 'vitest'
import { botRow } from '../support/bots.ts'
import { noPermission, required, told } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { untilWaiting } from '../support/waiting.ts'
import { call, db, failure, noAuth, type Person, uniqueName, user } from '../support/world.ts'

const taken = failure('username_taken', 'That username is already taken')

async function countBots(owner: Person): Promise<number> {
  const rows = await db.selectFrom('users').select('id').where('owner_id', '=', owner.id).execute()
  return rows.length
}

test('creation returns the user and a token that works, and sends no event', async () => {
  const ann = await user()
  const username = uniqueName('Robo')
  const answer = await call(ann, 'POST', '/bots', { username, name: 'Robo 1', public: true })
  expect(answer.status).toBe(200)
  const { user: robo, token } = answer.body.data
  expect(robo).toMatchObject({ username: username.toLowerCase(), name: 'Robo 1', bot: true, email: '' })
  expect(Object.keys(robo)).toHaveLength(13)
  expect(token).toMatch(/^[0-9a-f]{128}$/)
  const headers = { authorization: `Bot ${token}` }
  expect((await call(null, 'GET', '/users/@me', undefined, { headers })).body.data).toEqual(robo)
  expect(await botRow(robo.id)).toMatchObject({ owner_id: ann.id, bot: true, public: false, email: null })
  expect(publishedAbout(ann.id, robo.id)).toEqual([])
})

test('creation by an account that is being deleted answers no_auth', async () => {
  const ann = await user()
  const [making] = await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', ann.id).execute()
    const making = call(ann, 'POST', '/bots', { username: uniqueName('orphan'), name: 'x' })
    await untilWaiting(1)
    return [making]
  })
  expect((await making!).body).toEqual(noAuth)
  expect(await countBots(ann)).toBe(0)
})

test('a taken or reserved username answers username_taken', async () => {
  const ann = await user()
  for (const username of [ann.username, ann.username.toUpperCase(), 'admin']) {
    expect(told(await call(ann, 'POST', '/bots', { username, name: 'x' }))).toEqual([400, taken])
  }
  expect(await countBots(ann)).toBe(0)
})

test('one of several concurrent bots with a username is created', async () => {
  const people = await Promise.all([1, 2, 3].map(() => user()))
  const username = uniqueName('wanted')
  const answers = await Promise.all(
    people.map((person) => call(person, 'POST', '/bots', { username, name: 'x' })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
  for (const answer of answers.filter(({ status }) => status === 400)) expect(answer.body).toEqual(taken)
})

test('missing and wrong fields answer invalid_schema', async () => {
  const ann = await user()
  const cases: [unknown, string[]][] = [
    [undefined, ['username', 'name']],
    [{}, ['username', 'name']],
    [{ username: 'ok.bot', name: ' ' }, ['name']],
    [{ username: 'no bot', name: 'x' }, ['username']],
    [{ username: '12345', name: 5 }, ['username', 'name']],
  ]
  for (const [body, names] of cases) {
    expect(told(await call(ann, 'POST', '/bots', body))).toEqual([400, required(...names)])
  }
  expect(await countBots(ann)).toBe(0)
})

test('a bot that creates a bot gets no_permission', async () => {
  const bot = await user({ bot_of: await user() })
  const answer = await call(bot, 'POST', '/bots', { username: uniqueName('other'), name: 'x' })
  expect(told(answer)).toEqual([400, noPermission])
})

test('the 26th bot answers limit_reached, also in concurrent requests', async () => {
  const ann = await user()
  for (let i = 0; i < 24; i += 1) await user({ bot_of: ann })
  const make = () => call(ann, 'POST', '/bots', { username: uniqueName('limit'), name: 'x' })
  const answers = await Promise.all([1, 2, 3].map(() => make()))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  const failed = answers.find((answer) => answer.status !== 200)!
  expect(told(failed)).toEqual([400, failure('limit_reached', 'You have reached a limit (bots)')])
  expect(await countBots(ann)).toBe(25)
  const { user: made } = answers.find((answer) => answer.status === 200)!.body.data
  await call(ann, 'DELETE', `/bots/${made.id}`)
  expect((await make()).status).toBe(200)
})
