import { expect, test } from 'vitest'
import { houseSummary } from '../../support/houses.ts'
import { expire, inviteTo, refusesDeadInvites } from '../../support/invites.ts'
import { inviteNotFound, told } from '../../support/permissions.ts'
import { call, db, failure, house, houseRoom, type Person, user } from '../../support/world.ts'

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

test('an extended client sees whether an invite has expired or is used up, while it is stored', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const [expired, usedUp] = [await inviteTo(den, { max_age: 60 }), await inviteTo(den, { max_uses: 1 })]
  await expire(expired)
  await call(ben, 'POST', `/invites/${usedUp}`)
  for (const [method, caller] of [
    ['GET', null],
    ['GET', ann],
    ['POST', ann],
  ] as const) {
    const ask = async (code: string) => told(await call(caller, method, `/invites/${code}?extended=true`))
    expect(await ask(expired)).toEqual([404, failure('invite_expired', 'That invite has expired')])
    expect(await ask(usedUp)).toEqual([404, failure('invite_used_up', 'That invite has no uses left')])
    expect(await ask('abc123')).toEqual([404, inviteNotFound])
    expect(told(await call(caller, method, `/invites/${expired}`))).toEqual([404, inviteNotFound])
  }
  // The next one forgets those that have ended.
  await inviteTo(den)
  expect(told(await call(null, 'GET', `/invites/${expired}?extended=true`))).toEqual([404, inviteNotFound])
})

test('an extended client sees what it is in the house', async () => {
  const [ann, ben, cem] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`, {})
  const bot = await user({ bot_of: ben })
  const code = await inviteTo(den)
  const ask = async (caller: Person | null) =>
    (await call(caller, 'GET', `/invites/${code}?extended=true`)).body.data.membership
  expect([await ask(ann), await ask(ben), await ask(bot), await ask(cem), await ask(null)]).toEqual([
    'member',
    'banned',
    'banned',
    'none',
    null,
  ])
  const headers = { authorization: 'f'.repeat(128) }
  const stranger = await call(null, 'GET', `/invites/${code}?extended=true`, undefined, { headers })
  expect(stranger.body.data.membership).toBeNull()
})

test('a code works as somebody types it, to join and to revoke as well', async () => {
  const [ann, ben] = [await user(), await user()]
  const code = await inviteTo(await house({ owner: ann }), { max_uses: 2 })
  const typed = encodeURIComponent(` ${code.slice(0, 3)}-${code.slice(3)} `)
  expect((await call(null, 'GET', `/invites/${typed}`)).body.data.code).toBe(code)
  expect((await call(ben, 'POST', `/invites/${typed}`)).status).toBe(200)
  expect((await call(null, 'GET', `/invites/${code}`)).body.data.invite.uses).toBe(1)
  expect((await call(ann, 'DELETE', `/invites/${typed}`)).body.data.code).toBe(code)
  expect(told(await call(null, 'GET', `/invites/${code}`))).toEqual([404, inviteNotFound])
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
