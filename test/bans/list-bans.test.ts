import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { compactUser } from '../support/friendships.ts'
import { refusesStrangers } from '../support/messages.ts'
import { houseNotFound, noPermission, told } from '../support/permissions.ts'
import { call, expectTime, house, role, user } from '../support/world.ts'

test('listing bans answers them newest first, to who holds EVICT_MEMBERS', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [dan] })
  const list = async () => (await call(dan, 'GET', `/houses/${den.id}/bans`)).body
  await role(den, { allow: permission.EVICT_MEMBERS, members: [dan] })
  expect(await list()).toEqual({ success: true, data: [] })
  for (const person of [ben, cat]) {
    await call(ann, 'PUT', `/houses/${den.id}/bans/${person.id}`, { reason: person.username })
  }
  expect((await list()).data).toEqual(
    [cat, ben].map((person) => ({
      house_id: den.id,
      user_id: person.id,
      user: compactUser(person),
      reason: person.username,
      created_by: ann.id,
      created_at: expectTime,
    })),
  )
})

test('without EVICT_MEMBERS listing bans answers no_permission', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  expect(told(await call(ben, 'GET', `/houses/${den.id}/bans`))).toEqual([400, noPermission])
})

test('a house one is not in, or that does not exist, answers house_not_found', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  for (const id of [den.id, '1', 'x']) {
    expect(told(await call(ben, 'GET', `/houses/${id}/bans`))).toEqual([404, houseNotFound])
  }
})

test('without a token, or with a faulty one, listing bans answers no_auth', async () => {
  await refusesStrangers('GET', '/houses/1/bans')
})
