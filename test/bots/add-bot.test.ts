import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { publish } from '../support/bots.ts'
import { fillMemberships, membersOf } from '../support/houses.ts'
import { botNotFound, houseNotFound, noPermission, required, told } from '../support/permissions.ts'
import { publishedAbout } from '../support/published.ts'
import { call, db, failure, house, type Person, role, user } from '../support/world.ts'

function add(caller: Person, house_id: string, bot_id: unknown) {
  return call(caller, 'POST', `/houses/${house_id}/bots`, { bot_id })
}

/** A house of Ann's with Bob in it, and a bot of each. */
async function scene() {
  const [ann, bob] = [await user(), await user()]
  const [annsBot, bobsBot] = [await user({ bot_of: ann }), await user({ bot_of: bob })]
  const den = await house({ owner: ann, members: [bob] })
  return { ann, bob, annsBot, bobsBot, den }
}

test('adding a bot returns the member and sends an event; adding it again changes nothing', async () => {
  const { ann, bob, annsBot, den } = await scene()
  const answer = await add(ann, den.id, annsBot.id)
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ id: annsBot.id, house_id: den.id, user: { bot: true }, roles: [] })
  expect((await add(ann, den.id, annsBot.id)).body).toEqual(answer.body)
  expect(publishedAbout(den.id, annsBot.id)).toEqual([
    { type: 'member_joined', house_id: den.id, user_id: annsBot.id },
  ])
  expect(await membersOf(den.id)).toEqual([ann.id, bob.id, annsBot.id])
})

test('a member with MANAGE_BOTS adds their own and public bots', async () => {
  const { ann, bob, annsBot, bobsBot, den } = await scene()
  expect(told(await add(bob, den.id, bobsBot.id))).toEqual([400, noPermission])
  await role(den, { allow: permission.MANAGE_BOTS, members: [bob] })
  expect((await add(bob, den.id, bobsBot.id)).status).toBe(200)
  expect(told(await add(bob, den.id, annsBot.id))).toEqual([404, botNotFound])
  await publish(annsBot)
  expect((await add(bob, den.id, annsBot.id)).status).toBe(200)
  expect(await membersOf(den.id)).toEqual([ann.id, bob.id, bobsBot.id, annsBot.id])
})

test('a foreign private bot, a person and an unknown id answer bot_not_found', async () => {
  const { ann, bob, bobsBot, den } = await scene()
  for (const id of [bobsBot.id, bob.id, ann.id, '1', 'x']) {
    expect(told(await add(ann, den.id, id))).toEqual([404, botNotFound])
  }
  expect(await membersOf(den.id)).toEqual([ann.id, bob.id])
})

test('a banned bot answers no_permission', async () => {
  const { ann, annsBot, den } = await scene()
  await db.insertInto('bans').values({ house_id: den.id, user_id: annsBot.id, created_by: ann.id }).execute()
  expect(told(await add(ann, den.id, annsBot.id))).toEqual([400, noPermission])
})

test('a bot in a hundred houses answers limit_reached', async () => {
  const { ann, annsBot, den } = await scene()
  await fillMemberships(annsBot, ann, 100)
  const answer = await add(ann, den.id, annsBot.id)
  expect(told(answer)).toEqual([400, failure('limit_reached', 'You have reached a limit (houses)')])
})

test('a bot added by concurrent requests joins once', async () => {
  const { ann, annsBot, den } = await scene()
  const answers = await Promise.all([1, 2, 3, 4].map(() => add(ann, den.id, annsBot.id)))
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  expect(publishedAbout(den.id, annsBot.id)).toHaveLength(1)
})

test('a missing or non-text bot_id answers invalid_schema', async () => {
  const { ann, den } = await scene()
  for (const id of [undefined, 5, null, 'a\u0000', '\ud800']) {
    expect(told(await add(ann, den.id, id))).toEqual([400, required('bot_id')])
  }
})

test('a foreign or unknown house answers house_not_found', async () => {
  const { ann, annsBot, den } = await scene()
  expect(told(await add(await user(), den.id, annsBot.id))).toEqual([404, houseNotFound])
  for (const id of ['1', 'x']) expect(told(await add(ann, id, annsBot.id))).toEqual([404, houseNotFound])
})
