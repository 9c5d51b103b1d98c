import { expect, test } from 'vitest'
import { call, db, failure, house, noAuth, published, user } from '../support/world.ts'

const unknown = failure('bot_not_found', 'That bot does not exist')
const refused = failure('no_permission', 'You do not have permission to do this')
const taken = failure('username_taken', 'That username is already taken')

test('making a bot answers its user and a token that works', async () => {
  const ann = await user()
  const answer = await call(ann, 'POST', '/bots', { username: 'Robo', name: 'Robo 1' })
  expect(answer.status).toBe(200)
  const { user: robo, token } = answer.body.data
  expect(robo).toMatchObject({ username: 'robo', name: 'Robo 1', bot: true, email: '' })
  expect(Object.keys(robo)).toHaveLength(13)
  const headers = { authorization: `Bot ${token}` }
  expect((await call(null, 'GET', '/users/@me', undefined, { headers })).body.data).toEqual(robo)
  const list = await call(ann, 'GET', '/bots')
  expect(list.body.data).toEqual([
    { user: robo, owner_id: ann.id, public: false, created_at: expect.stringMatching(/Z$/) },
  ])
  expect((await call(await user(), 'GET', '/bots')).body.data).toEqual([])
})

test('making a bot refuses wrong fields, taken and reserved usernames, and bots', async () => {
  const ann = await user({ username: 'annie' })
  const bot = await user({ bot_of: ann })
  expect((await call(ann, 'POST', '/bots', {})).body.error.message).toBe(
    'Required fields (username, name) not met',
  )
  for (const username of ['annie', 'ANNIE', 'admin']) {
    expect((await call(ann, 'POST', '/bots', { username, name: 'x' })).body).toEqual(taken)
  }
  expect((await call(bot, 'POST', '/bots', { username: 'other', name: 'x' })).body).toEqual(refused)
  expect((await call(null, 'POST', '/bots', {})).body).toEqual(noAuth)
  expect((await call(null, 'GET', '/bots')).body).toEqual(noAuth)
})

test('the 26th bot is refused, also when several are made at once', async () => {
  const ann = await user()
  for (let i = 0; i < 24; i += 1) await user({ bot_of: ann })
  const answers = await Promise.all(
    [1, 2, 3].map((i) => call(ann, 'POST', '/bots', { username: `limit${i}`, name: 'x' })),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  const failed = answers.find((answer) => answer.status !== 200)!
  expect(failed.body).toEqual(failure('limit_reached', 'You have reached a limit (bots)'))
})

test('a bot is edited by its owner', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  published.length = 0
  const answer = await call(ann, 'PATCH', `/bots/${bot.id}`, { name: 'New', bio: 'beep', public: true })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({
    owner_id: ann.id,
    public: true,
    user: { name: 'New', bio: 'beep' },
  })
  expect(published).toEqual([{ type: 'user_updated', user_id: bot.id, only_self: false }])
  expect((await call(ann, 'PATCH', `/bots/${bot.id}`, {})).body.error.message).toBe(
    'JSON body cannot be empty',
  )
  expect((await call(ann, 'PATCH', `/bots/${bot.id}`, { public: 1 })).body.error.message).toBe(
    'Invalid fields (public)',
  )
  expect((await call(ann, 'PATCH', `/bots/${bot.id}`, { username: ann.username })).body).toEqual(taken)
})

test('a new token ends the old one', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  published.length = 0
  const answer = await call(ann, 'POST', `/bots/${bot.id}/token`)
  expect(answer.body.data.token).toMatch(/^[0-9a-f]{128}$/)
  expect(published).toEqual([{ type: 'sessions_ended', session_ids: [bot.session_id] }])
  expect((await call(bot, 'GET', '/users/@me')).body).toEqual(noAuth)
  const fresh = { ...bot, token: answer.body.data.token }
  expect((await call(fresh, 'GET', '/users/@me')).status).toBe(200)
})

test('a deleted bot leaves its houses and is gone', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  await house({ owner: ann, members: [bot] })
  published.length = 0
  const answer = await call(ann, 'DELETE', `/bots/${bot.id}`)
  expect(answer.body.data).toEqual({ id: bot.id })
  expect(published.map((event) => event.type)).toEqual(['sessions_ended', 'account_deleted', 'member_left'])
  expect((await call(ann, 'GET', '/bots')).body.data).toEqual([])
  expect((await call(ann, 'DELETE', `/bots/${bot.id}`)).body).toEqual(unknown)
})

test("another's bot, a person and an unknown id answer bot_not_found", async () => {
  const [ann, bob] = [await user(), await user()]
  const bot = await user({ bot_of: bob })
  for (const id of [bot.id, bob.id, ann.id, '1', 'x']) {
    const answers = [
      await call(ann, 'PATCH', `/bots/${id}`, { name: 'x' }),
      await call(ann, 'POST', `/bots/${id}/token`),
      await call(ann, 'DELETE', `/bots/${id}`),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(unknown)
    }
  }
  expect((await call(bot, 'GET', '/users/@me')).status).toBe(200)
})

test('a bot is added to a house by who manages bots there', async () => {
  const [ann, bob] = [await user(), await user()]
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bob] })
  published.length = 0
  const answer = await call(ann, 'POST', `/houses/${den.id}/bots`, { bot_id: bot.id })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ id: bot.id, house_id: den.id, user: { bot: true }, roles: [] })
  expect((await call(ann, 'POST', `/houses/${den.id}/bots`, { bot_id: bot.id })).body).toEqual(answer.body)
  expect(published).toEqual([{ type: 'member_joined', house_id: den.id, user_id: bot.id }])
})

test('adding a bot refuses who may not, foreign and banned bots, and unknown houses', async () => {
  const [ann, bob] = [await user(), await user()]
  const [annsBot, bobsBot] = [await user({ bot_of: ann }), await user({ bot_of: bob })]
  const den = await house({ owner: ann, members: [bob] })
  const add = (caller: typeof ann, house_id: string, bot_id: unknown) =>
    call(caller, 'POST', `/houses/${house_id}/bots`, { bot_id })
  expect((await add(bob, den.id, bobsBot.id)).body).toEqual(refused)
  expect((await add(ann, den.id, bobsBot.id)).body).toEqual(unknown)
  expect((await add(ann, den.id, bob.id)).body).toEqual(unknown)
  expect((await add(ann, den.id, 'x')).body).toEqual(unknown)
  expect((await add(await user(), den.id, annsBot.id)).body.error.code).toBe('house_not_found')
  expect((await add(ann, '1', annsBot.id)).body.error.code).toBe('house_not_found')
  expect((await add(ann, den.id, 5)).body.error.message).toBe('Required fields (bot_id) not met')
  expect((await call(null, 'POST', `/houses/${den.id}/bots`, {})).body).toEqual(noAuth)
  await db.updateTable('users').set({ public: true }).where('id', '=', bobsBot.id).execute()
  expect((await add(ann, den.id, bobsBot.id)).status).toBe(200)
  await db.insertInto('bans').values({ house_id: den.id, user_id: annsBot.id, created_by: ann.id }).execute()
  expect((await add(ann, den.id, annsBot.id)).body).toEqual(refused)
})
