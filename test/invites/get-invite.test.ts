import { expect, test } from 'vitest'
import { houseSummary } from '../support/houses.ts'
import { inviteTo, refusesDeadInvites } from '../support/invites.ts'
import { call, house, houseRoom, user } from '../support/world.ts'

test('an invite shows its house to anybody, without rooms and members, whatever the token', async () => {
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

test('looking at an invite uses nothing up', async () => {
  const code = await inviteTo(await house({ owner: await user() }), { max_uses: 1 })
  for (let i = 0; i < 3; i += 1) {
    expect((await call(null, 'GET', `/invites/${code}`)).body.data.invite.uses).toBe(0)
  }
})

test('an invite that is unknown, expired or used up answers invite_not_found', async () => {
  await refusesDeadInvites((caller, code) => call(caller, 'GET', `/invites/${code}`))
  await refusesDeadInvites((_, code) => call(null, 'GET', `/invites/${code}`))
})
