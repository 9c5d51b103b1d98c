import { expect, test } from 'vitest'
import { permission } from '../../../src/houses/permissions.ts'
import { newId } from '../../../src/ids.ts'
import { membersOf, watching } from '../../support/houses.ts'
import { inviteTo } from '../../support/invites.ts'
import { houseNotFound, invalid, noPermission, told, userNotFound } from '../../support/permissions.ts'
import { erase } from '../../support/rooms.ts'
import { call, db, expectTime, house, role, user } from '../../support/world.ts'

function bansOf(houseId: string) {
  return db.selectFrom('bans').selectAll().where('house_id', '=', houseId).execute()
}

test('banning a member returns the ban, removes them, revokes their invites, and sends events', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { code } = (await call(ben, 'POST', `/houses/${den.id}/invites`)).body.data
  const { answer, events } = await watching(() =>
    call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, { reason: 'noise\nat night' }),
  )
  expect(answer.status).toBe(200)
  const { created_at } = answer.body.data
  expect(answer.body.data).toEqual({
    house_id: den.id,
    user_id: ben.id,
    user: {
      icon: null,
      id: ben.id,
      username: ben.username,
      name: ben.username,
      header: null,
      flags: 0,
      bot: false,
    },
    reason: 'noise\nat night',
    created_by: ann.id,
    created_at: expectTime,
  })
  const ids = { house_id: den.id, user_id: ben.id, created_by: ann.id }
  const rows = await bansOf(den.id)
  expect(rows).toEqual([{ ...ids, reason: 'noise\nat night', created_at: expect.any(Date) }])
  expect(rows[0]!.created_at.toISOString()).toBe(created_at)
  expect(events).toMatchObject([{ type: 'member_left', user_id: ben.id, member: { id: ben.id } }])
  expect(await membersOf(den.id)).toEqual([ann.id])
  expect((await call(null, 'GET', `/invites/${code}`)).status).toBe(404)
})

test('a ban and its revoked invites concern one house only', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const [den, other] = [await house({ owner: ann, members: [ben] }), await house({ owner: ann })]
  const invites = [await house({ owner: ben }), other].map((one) => inviteTo(one))
  const [own, open] = (await Promise.all(invites)) as [string, string]
  await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`)
  expect((await call(cat, 'POST', `/invites/${own}`)).status).toBe(200)
  expect((await call(ben, 'POST', `/invites/${open}`)).status).toBe(200)
})

test('a ban of a non-member sends no event; a repetition replaces the reason only', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [cat] })
  await role(den, { allow: permission.EVICT_MEMBERS, members: [cat] })
  const first = await watching(() => call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`))
  expect(first.events).toEqual([])
  expect(first.answer.body.data.reason).toBe(null)
  const again = await call(cat, 'PUT', `/houses/${den.id}/bans/${ben.id}`, { reason: 'x' })
  expect(again.body.data).toEqual({ ...first.answer.body.data, reason: 'x' })
  expect(await bansOf(den.id)).toMatchObject([{ reason: 'x', created_by: ann.id }])
  const without = await call(cat, 'PUT', `/houses/${den.id}/bans/${ben.id}`)
  expect(without.body.data).toEqual(first.answer.body.data)
})

test('equal concurrent bans are one ban with one event', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { answer, events } = await watching(() =>
    Promise.all(Array.from({ length: 5 }, () => call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`))),
  )
  expect(answer.map((one) => one.status)).toEqual(Array(5).fill(200))
  expect(events).toHaveLength(1)
  expect(await bansOf(den.id)).toHaveLength(1)
})

test('banning needs EVICT_MEMBERS and a higher rank; the caller and the owner cannot be banned', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  const ban = (caller: typeof ann, target: typeof ann) =>
    call(caller, 'PUT', `/houses/${den.id}/bans/${target.id}`)
  expect(told(await ban(ben, dan))).toEqual([400, noPermission])
  await role(den, { allow: permission.EVICT_MEMBERS, position: 3, members: [ben] })
  await role(den, { position: 3, members: [cat] })
  for (const [caller, target] of [
    [ben, cat],
    [ben, ben],
    [ben, ann],
    [ann, ann],
  ] as const) {
    expect(told(await ban(caller, target))).toEqual([400, noPermission])
  }
  expect(await bansOf(den.id)).toEqual([])
  expect((await ban(ben, dan)).status).toBe(200)
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id, cat.id])
})

test('unknown and deleted users answer user_not_found, whatever the member may do', async () => {
  const [ann, ben, gone] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await erase(gone)
  for (const id of [newId(), 'x', gone.id]) {
    for (const member of [ann, ben]) {
      expect(told(await call(member, 'PUT', `/houses/${den.id}/bans/${id}`))).toEqual([400, userNotFound])
    }
    expect(told(await call(await user(), 'PUT', `/houses/${den.id}/bans/${id}`))).toEqual([
      404,
      houseNotFound,
    ])
  }
})

test('a reason of wrong type or form answers invalid_schema', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  for (const reason of [5, 'x'.repeat(513), '\u0000']) {
    const answer = await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, { reason })
    expect(told(answer)).toEqual([400, invalid('reason')])
  }
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id])
})

test('a foreign or unknown house answers house_not_found', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, '1', 'x']) {
    const answer = await call(ben, 'PUT', `/houses/${id}/bans/${ann.id}`)
    expect(told(answer)).toEqual([404, houseNotFound])
  }
})
