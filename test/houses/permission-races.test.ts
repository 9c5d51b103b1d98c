import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { allPermissions } from '../../src/houses/permissions.ts'
import { houseNotFound, noPermission } from '../support/permissions.ts'
import { untilWaiting } from '../support/waiting.ts'
import { webhook } from '../support/webhooks.ts'
import { call, db, failure, house, houseRoom, role, user } from '../support/world.ts'

test('a change is refused if its caller loses the permission while it waits for the lock', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const high = await role(den, { allow: allPermissions, position: 9, members: [ben] })
  const low = await role(den, { position: 1 })
  const bot = await user({ bot_of: ben })
  const roomId = await houseRoom(den)
  const hook = await webhook(den)
  const banned = await user()
  await call(ann, 'PUT', `/houses/${den.id}/bans/${banned.id}`)
  const { code } = (await call(ann, 'POST', `/houses/${den.id}/invites`)).body.data
  const [rooms, houses] = [`/rooms/${roomId}`, `/houses/${den.id}`]
  const requests = [
    ['PATCH', houses, { name: 'other' }],
    ['DELETE', `${houses}/icon`, undefined],
    ['POST', `${houses}/roles`, { name: 'new' }],
    ['PATCH', `${houses}/roles/${low}`, { name: 'other' }],
    ['PUT', `${houses}/members/${ben.id}/roles/${low}`, undefined],
    ['POST', `${houses}/entities`, { name: 'new' }],
    ['POST', `${houses}/rooms`, { name: 'new' }],
    ['PATCH', rooms, { name: 'other' }],
    ['DELETE', rooms, undefined],
    ['PUT', `${rooms}/overrides/${low}`, { type: 0, allow: 0, deny: 1 }],
    ['POST', `${houses}/bots`, { bot_id: bot.id }],
    ['POST', `${houses}/webhooks`, { room_id: roomId, name: 'new' }],
    ['PATCH', `${houses}/webhooks/${hook.id}`, { name: 'other' }],
    ['DELETE', `${houses}/webhooks/${hook.id}`, undefined],
    ['DELETE', `${houses}/bans/${banned.id}`, undefined],
    ['DELETE', `/invites/${code}`, undefined],
  ] as const
  // Each waiting request uses a connection, and the pool has ten.
  for (const some of [requests.slice(0, 5), requests.slice(5, 10), requests.slice(10)]) {
    const answers = await db.transaction().execute(async (trx) => {
      await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
      await trx.deleteFrom('member_roles').where('role_id', '=', high).execute()
      const waiting = some.map(([method, url, body]) => call(ben, method, url, body))
      await untilWaiting(some.length)
      return waiting
    })
    for (const answer of await Promise.all(answers)) expect(answer.body).toEqual(noPermission)
    await db.insertInto('member_roles').values({ house_id: den.id, user_id: ben.id, role_id: high }).execute()
  }
})

test('a non-member is refused at once, without waiting for the lock', async () => {
  const [den, ben] = [await house({ owner: await user() }), await user()]
  const answers = await db.transaction().execute(async (trx) => {
    await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
    const requests = [
      ['POST', `/houses/${den.id}/roles`, { name: 'new' }],
      ['PATCH', `/houses/${den.id}/owner`, { user_id: ben.id }],
      ['DELETE', `/houses/${den.id}/icon`, undefined],
    ] as const
    return Promise.all(requests.map(([method, url, body]) => call(ben, method, url, body)))
  })
  for (const answer of answers) expect(answer.body).toEqual(houseNotFound)
})

test('a change by an owner who leaves or deletes the house while it waits answers house_not_found', async () => {
  for (const going of ['/users/@me/houses', '/houses']) {
    const [ann, ben] = [await user(), await user()]
    const bot = await user({ bot_of: ann })
    const den = await house({ owner: ann, members: [ben] })
    const [gone, ...others] = await db.transaction().execute(async (trx) => {
      await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
      const leaving = call(ann, 'DELETE', `${going}/${den.id}`)
      await untilWaiting(1)
      const handing = call(ann, 'PATCH', `/houses/${den.id}/owner`, { user_id: ben.id })
      const adding = call(ann, 'POST', `/houses/${den.id}/bots`, { bot_id: bot.id })
      await untilWaiting(3)
      return [leaving, handing, adding] as const
    })
    expect((await gone).status).toBe(204)
    for (const answer of await Promise.all(others)) expect(answer.body).toEqual(houseNotFound)
  }
})

test('an override for a member who leaves while it waits is refused', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const path = `/rooms/${den.room_id}/overrides/${ben.id}`
  const body = { type: 1, allow: 0, deny: 1 }
  const [left, put] = await db.transaction().execute(async (trx) => {
    await sql`select from houses where id = ${den.id} for no key update`.execute(trx)
    const leaving = call(ben, 'DELETE', `/users/@me/houses/${den.id}`)
    await untilWaiting(1)
    const putting = call(ann, 'PUT', path, body)
    await untilWaiting(2)
    return [leaving, putting] as const
  })
  expect((await left).status).toBe(204)
  expect((await put).body).toEqual(failure('member_not_found', 'That member does not exist'))
  const { body: room } = await call(ann, 'GET', `/rooms/${den.room_id}`)
  expect(room.data.permission_overrides).toBeNull()
})

test('leaving deletes an override that was set just before', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  for (let round = 0; round < 10; round += 1) {
    const [put, left] = await Promise.all([
      call(ann, 'PUT', `/rooms/${den.room_id}/overrides/${ben.id}`, { type: 1, allow: 0, deny: 1 }),
      call(ben, 'DELETE', `/users/@me/houses/${den.id}`),
    ])
    expect([put.status, left.status]).toEqual([expect.toSatisfy((one) => one === 200 || one === 404), 204])
    const { body: room } = await call(ann, 'GET', `/rooms/${den.room_id}`)
    expect(room.data.permission_overrides).toBeNull()
    await db.insertInto('members').values({ house_id: den.id, user_id: ben.id }).execute()
  }
})
