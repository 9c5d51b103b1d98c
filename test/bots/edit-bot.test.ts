import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { botRow, refusesForeignBots } from '../support/bots.ts'
import { botNotFound, emptyBody, invalid, told } from '../support/permissions.ts'
import { picture } from '../support/pictures.ts'
import { publishedAbout } from '../support/published.ts'
import { untilWaiting, withChangeAfter } from '../support/waiting.ts'
import { call, db, failure, user } from '../support/world.ts'

async function withBot() {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const edit = (body: unknown) => call(ann, 'PATCH', `/bots/${bot.id}`, body)
  return { ann, bot, edit }
}

test('an update by the owner returns the bot and sends an event', async () => {
  const { ann, bot, edit } = await withBot()
  const answer = await edit({ name: 'New', bio: 'beep', public: true })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({
    owner_id: ann.id,
    public: true,
    user: { name: 'New', bio: 'beep' },
  })
  expect(Object.keys(answer.body.data.user)).toHaveLength(13)
  expect(publishedAbout(bot.id)).toEqual([{ type: 'user_updated', user_id: bot.id, only_self: false }])
  expect(await botRow(bot.id)).toMatchObject({ name: 'New', bio: 'beep', public: true })
})

test('an icon is set, and removed by null', async () => {
  const { bot, edit } = await withBot()
  const icon = (await picture()).toString('base64')
  const { data } = (await edit({ icon })).body
  expect(data.user.icon).toMatch(/^[0-9a-f]{40}\.webp$/)
  expect((await botRow(bot.id))?.icon).toBe(data.user.icon)
  expect((await edit({ icon: null })).body.data.user.icon).toBe(null)
})

test('an update of nothing, of unknown fields only, or of `public` sends no event', async () => {
  const { bot, edit } = await withBot()
  for (const body of [{ name: bot.username }, { owner_id: '1' }, { public: true }]) {
    expect((await edit(body)).status).toBe(200)
  }
  expect(publishedAbout(bot.id)).toEqual([])
})

test('an update returns the bot and sends an event, even if the bot is deleted right afterwards', async () => {
  const { ann, bot, edit } = await withBot()
  const answer = await withChangeAfter(
    () => edit({ name: 'New', public: true }),
    'users',
    sql`select from users where id = ${bot.id} for update`,
    (trx) => trx.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', bot.id).execute(),
  )
  expect(answer.body.data).toMatchObject({ owner_id: ann.id, public: true, user: { name: 'New' } })
  expect(publishedAbout(bot.id)).toEqual([{ type: 'user_updated', user_id: bot.id, only_self: false }])
})

test('a bot that is deleted concurrently answers bot_not_found', async () => {
  const { bot, edit } = await withBot()
  const [editing] = await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', bot.id).execute()
    const editing = edit({ name: 'New' })
    await untilWaiting(1)
    return [editing]
  })
  expect(told(await editing)).toEqual([404, botNotFound])
})

test('an empty body and wrong fields answer invalid_schema, and nothing changes', async () => {
  const { bot, edit } = await withBot()
  for (const body of [undefined, {}, null]) expect(told(await edit(body))).toEqual([400, emptyBody])
  expect(told(await edit({ public: 1, name: 'New' }))).toEqual([400, invalid('public')])
  expect(told(await edit({ bio: null, public: null }))).toEqual([400, invalid('bio', 'public')])
  expect(await botRow(bot.id)).toMatchObject({ name: bot.username, public: false })
})

test('a taken username answers username_taken, a wrong picture the code of its field', async () => {
  const { ann, bot, edit } = await withBot()
  const cases: [object, number, object][] = [
    [{ username: ann.username }, 400, failure('username_taken', 'That username is already taken')],
    [{ icon: 'aGVsbG8=' }, 400, failure('invalid_icon_file_format', 'Your icon must be an image')],
    [{ header: '####' }, 400, failure('invalid_header_file_format', 'Your header must be an image')],
    [
      { icon: Buffer.alloc(8 * 1024 * 1024 + 1).toString('base64') },
      413,
      failure('payload_too_large', 'The request is too large'),
    ],
  ]
  for (const [body, status, refusal] of cases) {
    expect(told(await edit({ ...body, bio: 'new' }))).toEqual([status, refusal])
  }
  expect(await botRow(bot.id)).toMatchObject({ username: bot.username, bio: '', icon: null, header: null })
})

test('a foreign bot, a person and an unknown id answer bot_not_found', async () => {
  await refusesForeignBots((caller, id) => call(caller, 'PATCH', `/bots/${id}`, { name: 'x' }))
})
