import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { auditRows } from '../../support/audit-log.ts'
import { publish } from '../../support/bots.ts'
import { membersOf, watching } from '../../support/houses.ts'
import { inviteTo } from '../../support/invites.ts'
import { noPermission, told } from '../../support/permissions.ts'
import { call, house, role, user } from '../../support/world.ts'

const { EVICT_MEMBERS, KICK_MEMBERS } = permission

/** A house of Ann's with Ben, two bots of Ben's, and one of Ann's. */
async function scene() {
  const [ann, ben] = [await user(), await user()]
  const [one, other] = [await user({ bot_of: ben }), await user({ bot_of: ben })]
  const annsBot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [ben, one, other, annsBot] })
  const ban = (by = ann) => call(by, 'PUT', `/houses/${den.id}/bans/${ben.id}`, { reason: 'spam' })
  const kick = (by = ann) => call(by, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
  return { ann, ben, one, other, annsBot, den, ban, kick }
}

test.each(['ban', 'kick'] as const)(
  'a %s removes the bots of the member, each with its entry',
  async (act) => {
    const { ann, ben, one, other, annsBot, den, ...acts } = await scene()
    const { answer, events } = await watching(() => acts[act]())
    expect(answer.status).toBe(200)
    const left = [ben.id, one.id, other.id].map((user_id) => ({
      type: 'member_left',
      house_id: den.id,
      user_id,
      member: { id: user_id },
    }))
    expect(events).toMatchObject(left)
    expect(await membersOf(den.id)).toEqual([ann.id, annsBot.id])
    for (const bot of [one, other]) {
      expect((await call(bot, 'GET', `/rooms/${den.room_id}/messages`)).status).toBe(404)
      expect((await call(bot, 'POST', `/rooms/${den.room_id}/messages`, { content: 'x' })).status).toBe(404)
    }
    const entries = await auditRows(den.id)
    expect(entries.map(({ action, target_id, actor_id }) => [action, target_id, actor_id])).toEqual([
      [act === 'ban' ? 'member_banned' : 'member_kicked', ben.id, ann.id],
      ['member_kicked', one.id, ann.id],
      ['member_kicked', other.id, ann.id],
    ])
  },
)

test('a ban of somebody who has left removes their bots and revokes the invites of these', async () => {
  const { ann, ben, one, annsBot, den, ban } = await scene()
  const { code } = (await call(one, 'POST', `/houses/${den.id}/invites`)).body.data
  await call(ben, 'DELETE', `/users/@me/houses/${den.id}`)
  expect((await ban()).status).toBe(200)
  expect(await membersOf(den.id)).toEqual([ann.id, annsBot.id])
  expect((await call(null, 'GET', `/invites/${code}`)).status).toBe(404)
})

test('a bot whose owner is banned is neither added nor joins, until the ban is lifted', async () => {
  const { ann, ben, one, other, den, ban } = await scene()
  await ban()
  await publish(one)
  const invite = await inviteTo(den)
  const add = (bot: typeof one) => call(ann, 'POST', `/houses/${den.id}/bots`, { bot_id: bot.id })
  expect(told(await add(one))).toEqual([400, noPermission])
  for (const bot of [one, other]) {
    expect(told(await call(bot, 'POST', `/invites/${invite}`))).toEqual([400, noPermission])
  }
  await call(ann, 'DELETE', `/houses/${den.id}/bans/${ben.id}`)
  expect((await add(one)).status).toBe(200)
  expect((await call(other, 'POST', `/invites/${invite}`)).status).toBe(200)
})

test('a ban and a kick need a rank above each bot of the member, or change nothing', async () => {
  const { ann, ben, one, other, annsBot, den, ban, kick } = await scene()
  const mod = await user()
  await call(mod, 'POST', `/invites/${await inviteTo(den)}`)
  await role(den, { allow: KICK_MEMBERS | EVICT_MEMBERS, position: 1, members: [mod] })
  await role(den, { position: 1, members: [other] })
  const { events } = await watching(async () => {
    expect(told(await ban(mod))).toEqual([400, noPermission])
    expect(told(await kick(mod))).toEqual([400, noPermission])
  })
  expect(events).toEqual([])
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id, one.id, other.id, annsBot.id, mod.id])
  expect((await auditRows(den.id)).map(({ action }) => action)).toEqual(['invite_created'])
  expect((await kick()).status).toBe(200)
})
