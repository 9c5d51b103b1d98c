import { expect, test } from 'vitest'
import { botRow, refusesForeignBots } from '../support/bots.ts'
import { membersOf } from '../support/houses.ts'
import { botNotFound, told } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { call, house, noAuth, user } from '../support/world.ts'

test('a deleted bot leaves its houses, and lookups do not find it', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [bot] })
  const answer = await call(ann, 'DELETE', `/bots/${bot.id}`)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ id: bot.id })
  const types = publishedAbout(bot.id, bot.session_id, den.id).map((event) => event.type)
  expect(types).toEqual(['sessions_ended', 'account_deleted', 'member_left'])
  expect(await membersOf(den.id)).toEqual([ann.id])
  expect(await botRow(bot.id)).toMatchObject({
    username: `deleted-${bot.id}`,
    name: 'Deleted user',
    deleted_at: expect.any(Date),
  })
  expect((await call(bot, 'GET', '/users/@me')).body).toEqual(noAuth)
  expect((await call(ann, 'GET', '/bots')).body.data).toEqual([])
  expect(told(await call(ann, 'DELETE', `/bots/${bot.id}`))).toEqual([404, botNotFound])
})

test('a bot deleted by concurrent requests is deleted once', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const answers = await Promise.all([1, 2, 3].map(() => call(ann, 'DELETE', `/bots/${bot.id}`)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404])
})

test('a foreign bot, a person and an unknown id answer bot_not_found', async () => {
  await refusesForeignBots((caller, id) => call(caller, 'DELETE', `/bots/${id}`))
})
