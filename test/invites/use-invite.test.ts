import { expect, test } from 'vitest'
import { fillMemberships, membersOf, watching } from '../support/houses.ts'
import { call, type Den, db, failure, house, noAuth, user } from '../support/world.ts'

const notFound = failure('invite_not_found', 'That invite does not exist')

async function inviteTo(den: Den, limits: { max_uses?: number; max_age?: number } = {}): Promise<string> {
  return (await call(den.owner, 'POST', `/houses/${den.id}/invites`, limits)).body.data.code
}

test('using an invite answers the house, makes a member without roles, counts a use, and tells', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den)
  const { answer, events } = await watching(() => call(ben, 'POST', `/invites/${code}`))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({
    house_id: den.id,
    house: {
      id: den.id,
      name: 'Den',
      description: null,
      icon: null,
      banner: null,
      owner_id: ann.id,
      type: 0,
      member_count: 2,
    },
  })
  expect(events).toEqual([{ type: 'member_joined', house_id: den.id, user_id: ben.id }])
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id])
  expect((await call(ann, 'GET', `/houses/${den.id}/invites`)).body.data).toMatchObject([{ code, uses: 1 }])
  expect((await call(ann, 'GET', `/houses/${den.id}/members/${ben.id}`)).body.data.roles).toEqual([])
})

test('a member who uses an invite is answered the house, uses nothing up, and nobody is told', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const code = await inviteTo(den, { max_uses: 1 })
  const { answer, events } = await watching(() => call(ann, 'POST', `/invites/${code}`, {}))
  expect(answer.body.data.house_id).toBe(den.id)
  expect(events).toEqual([])
  expect((await call(null, 'GET', `/invites/${code}`)).body.data.invite.uses).toBe(0)
})

test('an invite that is unknown, expired or used up answers invite_not_found', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const [expired, usedUp] = [await inviteTo(den, { max_age: 60 }), await inviteTo(den, { max_uses: 2 })]
  await db
    .updateTable('invites')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('code', '=', expired)
    .execute()
  await db.updateTable('invites').set({ uses: 2 }).where('code', '=', usedUp).execute()
  for (const code of [
    expired,
    usedUp,
    'abc123',
    'x',
    '%00%00%00%00%00%00',
    'a'.repeat(500),
    `${usedUp.toLowerCase()}1`,
  ]) {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const answer = await call(ben, method, `/invites/${code}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(notFound)
    }
  }
  expect(await membersOf(den.id)).toEqual([ann.id])
})

test('somebody banned answers no_permission, and the use does not count', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den)
  await call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`)
  const answer = await call(ben, 'POST', `/invites/${code}`)
  expect(answer.status).toBe(400)
  expect(answer.body).toEqual(failure('no_permission', 'You do not have permission to do this'))
  expect((await call(null, 'GET', `/invites/${code}`)).body.data.invite.uses).toBe(0)
  await call(ann, 'DELETE', `/houses/${den.id}/bans/${ben.id}`)
  expect((await call(ben, 'POST', `/invites/${code}`)).status).toBe(200)
})

test('of many joins at once, those past the hundredth house answer limit_reached', async () => {
  const [ann, ben] = [await user(), await user()]
  await fillMemberships(ben, ann, 98)
  const dens = await Promise.all(Array.from({ length: 5 }, () => house({ owner: ann })))
  const codes = await Promise.all(dens.map((den) => inviteTo(den)))
  const answers = await Promise.all(codes.map((code) => call(ben, 'POST', `/invites/${code}`)))
  const refused = answers.filter((answer) => answer.status !== 200)
  expect(refused.map((answer) => answer.body)).toEqual(
    Array(3).fill(failure('limit_reached', 'You have reached a limit (houses)')),
  )
  expect((await call(ben, 'GET', '/users/@me/houses')).body.data).toHaveLength(100)
})

test('of several who race for the last use, one gets it', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const code = await inviteTo(den, { max_uses: 1 })
  const people = await Promise.all(Array.from({ length: 6 }, () => user()))
  const { answer, events } = await watching(() =>
    Promise.all(people.map((person) => call(person, 'POST', `/invites/${code}`))),
  )
  expect(answer.map((one) => one.status).sort()).toEqual([200, ...Array(5).fill(404)])
  expect(events).toHaveLength(1)
  expect(await membersOf(den.id)).toHaveLength(2)
})

test('the same person using an invite many times at once joins once and counts once', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den)
  const { answer, events } = await watching(() =>
    Promise.all(Array.from({ length: 6 }, () => call(ben, 'POST', `/invites/${code}`))),
  )
  expect(answer.map((one) => one.status)).toEqual(Array(6).fill(200))
  expect(events).toHaveLength(1)
  expect((await call(null, 'GET', `/invites/${code}`)).body.data.invite.uses).toBe(1)
})

test('a ban and a join at once leave nobody banned inside', async () => {
  for (let round = 0; round < 8; round++) {
    const [ann, ben] = [await user(), await user()]
    const den = await house({ owner: ann })
    const code = await inviteTo(den)
    const answers = await Promise.all([
      call(ben, 'POST', `/invites/${code}`),
      call(ann, 'PUT', `/houses/${den.id}/bans/${ben.id}`),
    ])
    expect(answers[1]!.status).toBe(200)
    expect([200, 400]).toContain(answers[0]!.status)
    expect(await membersOf(den.id)).toEqual([ann.id])
  }
})

test('using an invite without a token answers no_auth', async () => {
  const code = await inviteTo(await house({ owner: await user() }))
  expect((await call(null, 'POST', `/invites/${code}`)).body).toEqual(noAuth)
})
