import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { houseRow, watching } from '../support/houses.ts'
import { noPermission } from '../support/permissions.ts'
import { call, failure, house, role, user } from '../support/world.ts'

test('a transfer returns the new owner, and sends events of the house and of visibility', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { answer, events } = await watching(() =>
    call(ann, 'PATCH', `/houses/${den.id}/owner`, { user_id: ben.id }),
  )
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, data: { house_id: den.id, owner_id: ben.id } })
  expect(events).toEqual([
    { type: 'house_updated', house_id: den.id },
    { type: 'visibility_changed', house_id: den.id, user_ids: [ann.id, ben.id] },
  ])
  expect((await houseRow(den.id))?.owner_id).toBe(ben.id)
})

test('a transfer to the owner changes nothing and sends no event', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const { answer, events } = await watching(() =>
    call(ann, 'PATCH', `/houses/${den.id}/owner`, { user_id: ann.id }),
  )
  expect(answer.body.data).toEqual({ house_id: den.id, owner_id: ann.id })
  expect(events).toEqual([])
})

test('a transfer by an administrator, or to a bot, answers no_permission', async () => {
  const [ann, ben] = [await user(), await user()]
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann, members: [ben, bot] })
  await role(den, { allow: permission.ADMINISTRATOR, members: [ben] })
  for (const [caller, heir] of [
    [ben, ben],
    [ann, bot],
  ] as const) {
    const answer = await call(caller, 'PATCH', `/houses/${den.id}/owner`, { user_id: heir.id })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  expect((await houseRow(den.id))?.owner_id).toBe(ann.id)
})

test('a missing user id, a non-member as new owner or caller, and a missing token are refused', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const hand = (caller: typeof ann | null, body: unknown) =>
    call(caller, 'PATCH', `/houses/${den.id}/owner`, body)
  for (const body of [{}, { user_id: 5 }, { user_id: null }, { user_id: '\u0000' }, { user_id: '\ud800' }]) {
    expect((await hand(ann, body)).body).toEqual(
      failure('invalid_schema', 'Required fields (user_id) not met'),
    )
  }
  for (const user_id of [ben.id, 'x', '']) {
    expect((await hand(ann, { user_id })).body).toEqual(
      failure('member_not_found', 'That member does not exist'),
    )
  }
  expect((await hand(ben, { user_id: ann.id })).body).toEqual(
    failure('house_not_found', 'That house does not exist'),
  )
})

test('a transfer while the new owner leaves keeps the owner a member', async () => {
  for (let round = 0; round < 8; round++) {
    const [ann, ben] = [await user(), await user()]
    const den = await house({ owner: ann, members: [ben] })
    const [handed, left] = await Promise.all([
      call(ann, 'PATCH', `/houses/${den.id}/owner`, { user_id: ben.id }),
      call(ben, 'DELETE', `/users/@me/houses/${den.id}`),
    ])
    expect([200, 404]).toContain(handed.status)
    expect(left.status).toBe(204)
    expect((await houseRow(den.id))?.owner_id).toBe(ann.id)
  }
})
