import { expect, test } from 'vitest'
import { houseSummary } from '../../support/houses.ts'
import { inviteTo, refusesDeadInvites } from '../../support/invites.ts'
import { inviteNotFound, told } from '../../support/permissions.ts'
import { call, db, house, houseRoom, user } from '../../support/world.ts'

test('an invite shows its house to anybody, without rooms and members, with any or no token', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await houseRoom(den)
  const invite = (await call(ben, 'POST', `/houses/${den.id}/invites`, { max_uses: 5 })).body.data
  const headers = { authorization: 'f'.repeat(128) }
  for (const seen of [
    await call(null, 'GET', `/invites/${invite.code}`),
    await call(null, 'GET', `/invites/${invite.code}`, undefined, { headers }),
    await call(ben, 'GET', `/invites/${invite.code}`),
  ]) {
    expect(seen.status).toBe(200)
    expect(seen.body.data).toEqual({
      code: invite.code,
      invite,
      house: {
        ...houseSummary(den, 2),
        rooms: [],
        members: [],
      },
      counts: { house_members: 2 },
    })
  }
})

test('fetching an invite counts no use', async () => {
  const code = await inviteTo(await house({ owner: await user() }), { max_uses: 1 })
  for (let i = 0; i < 3; i += 1) {
    expect((await call(null, 'GET', `/invites/${code}`)).body.data.invite.uses).toBe(0)
  }
})

test('an invite that is unknown, expired or used up answers invite_not_found', async () => {
  await refusesDeadInvites((caller, code) => call(caller, 'GET', `/invites/${code}`))
  await refusesDeadInvites((_, code) => call(null, 'GET', `/invites/${code}`))
})

test('a code in the other case is another code', async () => {
  const den = await house({ owner: await user() })
  const row = { house_id: den.id, creator_id: den.owner.id }
  await db
    .insertInto('invites')
    .values({ ...row, code: 'aB3dEf' })
    .execute()
  expect((await call(null, 'GET', '/invites/aB3dEf')).status).toBe(200)
  for (const code of ['Ab3DeF', 'ab3def', 'AB3DEF']) {
    expect(told(await call(null, 'GET', `/invites/${code}`))).toEqual([404, inviteNotFound])
  }
})
