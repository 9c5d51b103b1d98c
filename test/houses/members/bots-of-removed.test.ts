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

/** A house of Ann's in which Ben, who may add bots, has added a public bot of somebody else, and Ann one of hers. */
async function installed() {
  const [ann, ben, stranger] = [await user(), await user(), await user()]
  const [bot, annsBot] = [await user({ bot_of: stranger }), await user({ bot_of: ann })]
  await publish(bot)
  const den = await house({ owner: ann, members: [ben] })
  const installers = await role(den, { allow: permission.MANAGE_BOTS, members: [ben] })
  await call(ben, 'POST', `/houses/${den.id}/bots`, { bot_id: bot.id })
  await call(ann, 'POST', `/houses/${den.id}/bots`, { bot_id: annsBot.id })
  return { ann, ben, bot, annsBot, den, installers }
}

type Installed = Awaited<ReturnType<typeof installed>>
const losses: Record<string, (scene: Installed) => Promise<unknown>> = {
  'the role is taken': ({ ann, ben, den, installers }) =>
    call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}/roles/${installers}`),
  'the role is deleted': ({ ann, den, installers }) =>
    call(ann, 'DELETE', `/houses/${den.id}/roles/${installers}`),
  'the role loses the bit': ({ ann, den, installers }) =>
    call(ann, 'PATCH', `/houses/${den.id}/roles/${installers}`, { allow: 0 }),
  'a role denies the bit': async ({ ann, ben, den }) => {
    const denied = await role(den, { deny: permission.MANAGE_BOTS, position: 9 })
    return call(ann, 'PUT', `/houses/${den.id}/members/${ben.id}/roles/${denied}`)
  },
  'they are removed': ({ ann, ben, den }) => call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`),
  'they are banned': ({ ann, ben, den }) => call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, {}),
}

test.each(Object.keys(losses))('a bot leaves with who added it: %s', async (name) => {
  const scene = await installed()
  const { answer, events } = await watching(() => losses[name]!(scene) as ReturnType<typeof call>)
  expect(answer.status).toBe(200)
  const { den, bot, annsBot } = scene
  expect(events).toContainEqual(expect.objectContaining({ type: 'member_left', user_id: bot.id }))
  expect(await membersOf(den.id)).not.toContain(bot.id)
  expect(await membersOf(den.id)).toContain(annsBot.id)
  const last = (await auditRows(den.id)).at(-1)!
  expect([last.action, last.target_id]).toEqual(['member_kicked', bot.id])
})

test('default permissions that lose MANAGE_BOTS remove the bots added by it', async () => {
  const { ann, ben, bot, den, installers } = await installed()
  const edit = (default_permissions: number) =>
    call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', default_permissions })
  await edit(permission.READ_MESSAGES | permission.MANAGE_BOTS)
  await call(ann, 'DELETE', `/houses/${den.id}/members/${ben.id}/roles/${installers}`)
  expect(await membersOf(den.id)).toContain(bot.id)
  await edit(permission.READ_MESSAGES)
  expect(await membersOf(den.id)).not.toContain(bot.id)
})

test('a bot stays when who added it leaves or hands the house over, also after later changes', async () => {
  const { ann, ben, bot, annsBot, den, installers } = await installed()
  await call(ben, 'DELETE', `/users/@me/houses/${den.id}`)
  await inviteTo(den).then((code) => call(ben, 'POST', `/invites/${code}`))
  await call(ann, 'PATCH', `/houses/${den.id}/owner`, { user_id: ben.id })
  await call(ben, 'DELETE', `/houses/${den.id}/roles/${installers}`)
  const members = await membersOf(den.id)
  expect(members).toContain(bot.id)
  expect(members).toContain(annsBot.id)
})

test('a bot of others that ranks higher stays when who added it is banned', async () => {
  const { ann, ben, bot, den } = await installed()
  const mod = await user()
  await call(mod, 'POST', `/invites/${await inviteTo(den)}`)
  await role(den, { allow: EVICT_MEMBERS, position: 5, members: [mod] })
  await role(den, { position: 9, members: [bot] })
  expect((await call(mod, 'PUT', `/houses/${den.id}/bans/${ben.id}`, {})).status).toBe(200)
  const members = await membersOf(den.id)
  expect(members).toContain(bot.id)
  expect(members).not.toContain(ben.id)
  expect((await call(ann, 'DELETE', `/houses/${den.id}/members/${bot.id}`)).status).toBe(200)
})
