import { expect, test } from 'vitest'
import { hashToken } from '../../../src/auth/tokens.ts'
import { permission } from '../../../src/houses/permissions.ts'
import { isStored, pictureText } from '../../support/own-user.ts'
import {
  houseNotFound,
  moderatedHouse,
  noPermission,
  override,
  required,
  roomNotFound,
  told,
} from '../../support/permissions.ts'
import { webhook, webhookRow } from '../../support/webhooks.ts'
import { call, failure, group, house, houseRoom, type Person, user } from '../../support/world.ts'

const { MANAGE_INTEGRATIONS, READ_MESSAGES } = permission

function create(caller: Person, houseId: string, body: object) {
  return call(caller, 'POST', `/houses/${houseId}/webhooks`, body)
}

test('creating a webhook answers it with its address, and stores only a hash', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const answer = await create(den.moderator, den.id, { room_id: den.room_id, name: 'Build' })
  expect(answer.status).toBe(200)
  const { id, url } = answer.body.data
  expect(answer.body.data).toEqual({
    id,
    house_id: den.id,
    room_id: den.room_id,
    creator_id: den.moderator.id,
    name: 'Build',
    icon: null,
    url: expect.stringMatching(new RegExp(`^http://hearth\\.test/v1/webhooks/${id}/[0-9a-f]{128}$`)),
  })
  expect(answer.headers['cache-control']).toBe('no-store')
  const token = url.split('/').at(-1)
  expect((await webhookRow(id))!.token_hash).toEqual(hashToken(token))
  const sent = await call(null, 'POST', new URL(url).pathname, { content: 'x' })
  expect(sent.body.data.author).toMatchObject({ id, name: 'Build', icon: null, bot: true })
})

test('an icon is that of the author, and is served as that of a user', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const icon = await pictureText()
  const { id, ...made } = (await create(ann, den.id, { room_id: den.room_id, name: 'x', icon })).body.data
  expect(made.icon).toMatch(/^[0-9a-f]{40}\.webp$/)
  expect((await call(null, 'GET', `/users/${id}/icons/${made.icon}`)).status).toBe(200)
  const sent = await call(null, 'POST', new URL(made.url).pathname, { content: 'x' })
  expect(sent.body.data.author.icon).toBe(made.icon)
  expect(isStored({ id }, 'icons', made.icon)).toBe(true)
})

test('a field that is missing or wrong answers invalid_schema, a faulty icon its own code', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { room_id } = den
  const wrong: [object, object][] = [
    [{}, required('room_id', 'name')],
    [{ room_id, name: '' }, required('name')],
    [{ room_id, name: ' ' }, required('name')],
    [{ room_id, name: 'a\nb' }, required('name')],
    [{ room_id, name: 'x'.repeat(65) }, required('name')],
    [{ room_id: 5, name: 'x' }, required('room_id')],
    [{ room_id, name: 'x', icon: 5 }, failure('invalid_schema', 'Invalid fields (icon)')],
    [
      { room_id, name: 'x', icon: 'no base64' },
      failure('invalid_icon_file_format', 'Your icon must be an image'),
    ],
  ]
  for (const [body, answer] of wrong) expect(told(await create(ann, den.id, body))).toEqual([400, answer])
})

test('a room elsewhere, private or unreadable is room_not_found', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const hidden = await houseRoom(den, { default_deny: READ_MESSAGES })
  const elsewhere = await house({ owner: den.moderator })
  const rooms = [hidden, elsewhere.room_id, await group(den.moderator, den.member), '1', 'x']
  for (const room_id of rooms) {
    expect(told(await create(den.moderator, den.id, { room_id, name: 'x' }))).toEqual([404, roomNotFound])
  }
})

test('it needs MANAGE_INTEGRATIONS in the house, and a room can deny it', async () => {
  const den = await moderatedHouse(MANAGE_INTEGRATIONS)
  const body = { room_id: den.room_id, name: 'x' }
  expect(told(await create(den.member, den.id, body))).toEqual([400, noPermission])
  expect(told(await create(await user(), den.id, body))).toEqual([404, houseNotFound])
  await override(den.room_id, den.moderator_role_id, { type: 0, deny: MANAGE_INTEGRATIONS })
  expect(told(await create(den.moderator, den.id, body))).toEqual([400, noPermission])
  await override(den.room_id, den.member.id, { type: 1, allow: MANAGE_INTEGRATIONS })
  expect(told(await create(den.member, den.id, body))).toEqual([400, noPermission])
})

test('a bot with the permission creates one as well', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const den = await house({
    owner: ann,
    members: [bot],
    default_permissions: MANAGE_INTEGRATIONS | READ_MESSAGES,
  })
  expect((await create(bot, den.id, { room_id: den.room_id, name: 'x' })).status).toBe(200)
})

test('a house has 25 webhooks at most, also when several are created at once', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  for (let i = 0; i < 23; i += 1) await webhook(den)
  const body = { room_id: den.room_id, name: 'x' }
  const answers = await Promise.all(Array.from({ length: 4 }, () => create(ann, den.id, body)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400])
  const refused = answers.find(({ status }) => status === 400)!
  expect(refused.body).toEqual(failure('limit_reached', 'You have reached a limit (webhooks)'))
})
