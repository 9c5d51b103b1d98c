import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { expire } from '../../support/invites.ts'
import { houseNotFound, noPermission, told } from '../../support/permissions.ts'
import { call, db, house, role, user } from '../../support/world.ts'

test('active invites are listed newest first, for members with MANAGE_INVITES', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  await role(den, { allow: permission.MANAGE_INVITES, members: [cat] })
  const list = async () => (await call(cat, 'GET', `/houses/${den.id}/invites`)).body
  expect(await list()).toEqual({ success: true, data: [] })
  const made: { code: string }[] = []
  for (let i = 0; i < 4; i++) made.unshift((await call(ben, 'POST', `/houses/${den.id}/invites`)).body.data)
  await expire(made[1]!.code)
  await db.updateTable('invites').set({ max_uses: 1, uses: 1 }).where('code', '=', made[2]!.code).execute()
  expect((await list()).data).toEqual([made[0], made[3]])
})

test('without MANAGE_INVITES listing invites answers no_permission', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await call(ben, 'POST', `/houses/${den.id}/invites`)
  expect(told(await call(ben, 'GET', `/houses/${den.id}/invites`))).toEqual([400, noPermission])
  expect((await call(ann, 'GET', `/houses/${den.id}/invites`)).status).toBe(200)
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [den, cat] = [await house({ owner: await user() }), await user()]
  for (const id of [den.id, '1', 'x']) {
    expect(told(await call(cat, 'GET', `/houses/${id}/invites`))).toEqual([404, houseNotFound])
  }
})
