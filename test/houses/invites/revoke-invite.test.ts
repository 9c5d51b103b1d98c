import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { watching } from '../../support/houses.ts'
import { inviteRow, refusesDeadInvites } from '../../support/invites.ts'
import { inviteNotFound, moderatedHouse, noPermission, told } from '../../support/permissions.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, house, role, user } from '../../support/world.ts'

/** A house of Ann's, and a function with which Ben creates invites to it. */
async function scene() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  const make = async () => (await call(ben, 'POST', `/houses/${den.id}/invites`)).body.data.code
  return { ann, ben, cat, den, make }
}

test('revoking an own invite returns code and house, applies at once, and sends no event', async () => {
  const { ben, den, make } = await scene()
  const code = await make()
  const { answer, events } = await watching(() => call(ben, 'DELETE', `/invites/${code}`))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({ code, house_id: den.id })
  expect(events).toEqual([])
  expect(await inviteRow(code)).toBeUndefined()
  expect(told(await call(null, 'GET', `/invites/${code}`))).toEqual([404, inviteNotFound])
  expect((await call(await user(), 'POST', `/invites/${code}`)).status).toBe(404)
})

test('members with MANAGE_INVITES and the owner revoke invites of others', async () => {
  const { ann, cat, den, make } = await scene()
  await role(den, { allow: permission.MANAGE_INVITES, members: [cat] })
  for (const caller of [cat, ann]) {
    const code = await make()
    expect((await call(caller, 'DELETE', `/invites/${code}`)).status).toBe(200)
    expect(await inviteRow(code)).toBeUndefined()
  }
})

test('a user who is neither the creator nor has MANAGE_INVITES gets no_permission', async () => {
  const { cat, make } = await scene()
  const code = await make()
  for (const caller of [cat, await user()]) {
    expect(told(await call(caller, 'DELETE', `/invites/${code}`))).toEqual([400, noPermission])
  }
  expect(await inviteRow(code)).toBeDefined()
})

test('an invite revoked by concurrent requests is revoked once', async () => {
  const { ben, make } = await scene()
  const code = await make()
  const answers = await Promise.all([1, 2].map(() => call(ben, 'DELETE', `/invites/${code}`)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
})

test('an invite that is unknown, expired or used up answers invite_not_found', async () => {
  await refusesDeadInvites((caller, code) => call(caller, 'DELETE', `/invites/${code}`))
})

test('who loses MANAGE_INVITES while they wait revokes no invite of others', async () => {
  const den = await moderatedHouse(permission.MANAGE_INVITES)
  const code = (await call(den.owner, 'POST', `/houses/${den.id}/invites`)).body.data.code
  const [asking] = await db.transaction().execute(async (trx) => {
    await trx.selectFrom('houses').select('id').where('id', '=', den.id).forUpdate().execute()
    await trx.deleteFrom('member_roles').where('role_id', '=', den.moderator_role_id).execute()
    const asked = call(den.moderator, 'DELETE', `/invites/${code}`)
    await untilWaiting(1)
    return [asked]
  })
  expect(told(await asking!)).toEqual([400, noPermission])
  expect(await inviteRow(code)).toBeDefined()
})
