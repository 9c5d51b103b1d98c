import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fillMemberships, houseSummary, membersOf, watching } from '../../support/houses.ts'
import { expire, inviteTo, refusesDeadInvites } from '../../support/invites.ts'
import { inviteNotFound, told } from '../../support/permissions.ts'
import { untilWaiting } from '../../support/waiting.ts'
import { call, db, failure, house, user } from '../../support/world.ts'

test('use returns the house, adds a member without roles, counts a use, and sends events', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den)
  const { answer, events } = await watching(() => call(ben, 'POST', `/invites/${code}`))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toEqual({
    house_id: den.id,
    house: houseSummary(den, 2),
  })
  expect(events).toEqual([{ type: 'member_joined', house_id: den.id, user_id: ben.id }])
  expect(await membersOf(den.id)).toEqual([ann.id, ben.id])
  expect((await call(ann, 'GET', `/houses/${den.id}/invites`)).body.data).toMatchObject([{ code, uses: 1 }])
  expect((await call(ann, 'GET', `/houses/${den.id}/members/${ben.id}`)).body.data.roles).toEqual([])
})

test('use by a member returns the house, counts no use, and sends no event', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const code = await inviteTo(den, { max_uses: 1 })
  const { answer, events } = await watching(() => call(ann, 'POST', `/invites/${code}`, {}))
  expect(answer.body.data.house_id).toBe(den.id)
  expect(events).toEqual([])
  expect((await call(null, 'GET', `/invites/${code}`)).body.data.invite.uses).toBe(0)
})

test('a bot can use an invite', async () => {
  const ann = await user()
  const bot = await user({ bot_of: ann })
  const den = await house({ owner: ann })
  const { answer, events } = await watching(async () => call(bot, 'POST', `/invites/${await inviteTo(den)}`))
  expect(answer.status).toBe(200)
  expect(events).toEqual([{ type: 'member_joined', house_id: den.id, user_id: bot.id }])
  expect(await membersOf(den.id)).toEqual([ann.id, bot.id])
})

test('an invite that is unknown, expired or used up answers invite_not_found', async () => {
  await refusesDeadInvites((caller, code) => call(caller, 'POST', `/invites/${code}`))
})

test('a body that is no object answers invalid_schema without joining', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den)
  for (const body of [[], 5, 'x']) {
    const answer = await call(ben, 'POST', `/invites/${code}`, body)
    expect(told(answer)).toEqual([400, failure('invalid_schema', 'JSON body is malformed')])
  }
  expect(await membersOf(den.id)).toEqual([ann.id])
})

test('joining with an expired invite adds no member', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den, { max_age: 60 })
  await expire(code)
  expect((await call(ben, 'POST', `/invites/${code}`)).status).toBe(404)
  expect(await membersOf(den.id)).toEqual([ann.id])
})

test('a banned user gets no_permission, and no use is counted', async () => {
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

test('of many concurrent joins those past the hundredth house answer limit_reached', async () => {
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

test('one of several concurrent requests gets the last use', async () => {
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

test('concurrent uses by one user join once and count one use', async () => {
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

test('joined_at is the time under the lock, after members who joined while waiting', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den)
  const [joining] = await db.transaction().execute(async (trx) => {
    await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
    const joining = call(ben, 'POST', `/invites/${code}`)
    await untilWaiting(1)
    const joined_at = sql<Date>`clock_timestamp()`
    await trx.insertInto('members').values({ house_id: den.id, user_id: cat.id, joined_at }).execute()
    return [joining]
  })
  expect((await joining!).status).toBe(200)
  expect(await membersOf(den.id)).toEqual([ann.id, cat.id, ben.id])
})

test.each([
  ['expires', { expires_at: sql<Date>`clock_timestamp()` }],
  ['is used up', { uses: 1 }],
])('who waits to join by an invite that %s meanwhile does not come in', async (_name, changes) => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const code = await inviteTo(den, { max_uses: 1 })
  const [joining] = await db.transaction().execute(async (trx) => {
    await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
    const joining = call(ben, 'POST', `/invites/${code}`)
    await untilWaiting(1)
    await trx.updateTable('invites').set(changes).where('code', '=', code).execute()
    return [joining]
  })
  expect(told(await joining!)).toEqual([404, inviteNotFound])
  expect(await membersOf(den.id)).toEqual([ann.id])
})

test('an invite whose house is deleted concurrently answers invite_not_found', async () => {
  const den = await house({ owner: await user() })
  const [code, ben] = [await inviteTo(den), await user()]
  const [joining] = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('houses').where('id', '=', den.id).execute()
    const joining = call(ben, 'POST', `/invites/${code}`)
    await untilWaiting(1)
    return [joining]
  })
  expect(told(await joining!)).toEqual([404, inviteNotFound])
})

test('a concurrent ban and join leave no banned member', async () => {
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
