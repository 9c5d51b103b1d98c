import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import { membersOf, watching } from '../support/houses.ts'
import { erase } from '../support/rooms.ts'
import { call, failure, house, noAuth, role, user } from '../support/world.ts'

const noPermission = failure('no_permission', 'You do not have permission to do this')
const houseNotFound = failure('house_not_found', 'That house does not exist')

test('banning a member answers the ban, removes them, revokes their invites, and tells', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const { code } = (await call(ben, 'POST', `/houses/${den.id}/invites`)).body.data
  const { answer, events } = await watching(() =>
    call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, { reason: 'noise\nat night' }),
  )
  expect(answer.status).toBe(200)
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
    created_at: expect.stringMatching(/Z$/),
  })
  expect(events).toMatchObject([{ type: 'member_left', user_id: ben.id, member: { id: ben.id } }])
  expect(await membersOf(den.id)).toEqual([ann.id])
  expect((await call(null, 'GET', `/invites/${code}`)).status).toBe(404)
})

test('a ban of no member tells nobody; again it replaces the reason alone', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [cat] })
  await role(den, { allow: permission.EVICT_MEMBERS, members: [cat] })
  const first = await watching(() => call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`))
  expect(first.events).toEqual([])
  expect(first.answer.body.data.reason).toBe(null)
  const again = await call(cat, 'PUT', `/houses/${den.id}/bans/${ben.id}`, { reason: 'x' })
  expect(again.body.data).toEqual({ ...first.answer.body.data, reason: 'x' })
})

test('listing bans answers them newest first, lifting one answers both ids', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  for (const person of [ben, cat]) await call(ann, 'PUT', `/houses/${den.id}/bans/${person.id}`)
  const list = async () => (await call(ann, 'GET', `/houses/${den.id}/bans`)).body.data
  expect((await list()).map((one: { user_id: string }) => one.user_id)).toEqual([cat.id, ben.id])
  const lifted = await call(ann, 'DELETE', `/houses/${den.id}/bans/${cat.id}`)
  expect(lifted.body.data).toEqual({ house_id: den.id, user_id: cat.id })
  expect(await list()).toMatchObject([{ user_id: ben.id }])
  const again = await call(ann, 'DELETE', `/houses/${den.id}/bans/${cat.id}`)
  expect(again.status).toBe(404)
  expect(again.body).toEqual(failure('ban_not_found', 'That ban does not exist'))
})

test('bans need EVICT_MEMBERS and a higher rank; nobody bans themself or the owner', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  const ban = (caller: typeof ann, target: typeof ann) =>
    call(caller, 'PUT', `/houses/${den.id}/bans/${target.id}`)
  for (const answer of [
    await ban(ben, dan),
    await call(ben, 'GET', `/houses/${den.id}/bans`),
    await call(ben, 'DELETE', `/houses/${den.id}/bans/${dan.id}`),
  ]) {
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(noPermission)
  }
  await role(den, { allow: permission.EVICT_MEMBERS, position: 3, members: [ben] })
  await role(den, { position: 3, members: [cat] })
  for (const [caller, target] of [
    [ben, cat],
    [ben, ben],
    [ben, ann],
    [ann, ann],
  ] as const) {
    expect((await ban(caller, target)).body).toEqual(noPermission)
  }
  expect((await ban(ben, dan)).status).toBe(200)
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id, cat.id])
})

test('unknown and deleted users, strangers, faulty reasons and missing tokens are refused', async () => {
  const [ann, ben, gone] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  await erase(gone)
  for (const id of [newId(), 'x', gone.id]) {
    const answer = await call(ann, 'PUT', `/houses/${den.id}/bans/${id}`)
    expect(answer.body).toEqual(failure('user_not_found', 'That user does not exist'))
  }
  for (const reason of [5, 'x'.repeat(513), '\u0000']) {
    const answer = await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, { reason })
    expect(answer.body).toEqual(failure('invalid_schema', 'Invalid fields (reason)'))
  }
  for (const [method, path] of [
    ['GET', 'bans'],
    ['PUT', `bans/${ann.id}`],
    ['DELETE', `bans/${ann.id}`],
  ] as const) {
    const answer = await call(ben, method, `/houses/${den.id}/${path}`)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(houseNotFound)
    expect((await call(null, method, `/houses/${den.id}/${path}`)).body).toEqual(noAuth)
  }
})
