import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../../src/ids.ts'
import { crowd, groups } from '../../support/crowds.ts'
import { expectExact, listen, logIn } from '../../support/gateway.ts'
import { fillMemberships } from '../../support/houses.ts'
import { call, db, house, user } from '../../support/world.ts'

// What other users can add to the state of a login.

const app = await listen()

test('INIT_STATE has the latest 1,000 private rooms, and only their events follow', async () => {
  const [ann, ben] = [await user(), await user()]
  const ids = await groups(ann, [ben.id], 1_200)
  const client = await logIn(app, ben)
  const init = client.events[0]!
  expectExact(init)
  const named = init.d.private_rooms.map((room: { id: string }) => room.id)
  expect(named).toEqual(ids.slice(200).reverse())
  for (const id of [ids[0], ids[1_199]]) await call(ann, 'POST', `/rooms/${id}/messages`, { content: 'hi' })
  expect((await client.next('MESSAGE_CREATE')).d.room_id).toBe(ids[1_199])
})

test('omits roles of memberships that do not fit, and everything less important', async () => {
  const ann = await user()
  const [partner] = await crowd(1)
  await groups(ann, [partner!], 1)
  const houses = await fillMemberships(ann, ann, 60)
  const roles = houses.flatMap((house_id) =>
    Array.from({ length: 250 }, (_, position) => ({ id: newId(), house_id, position })),
  )
  await sql`
    with made as (
      insert into roles (id, house_id, name, position, color, allow, deny)
      select id, house_id, repeat('🚀', 64), position, '#000000', 0, 0
      from jsonb_to_recordset(${JSON.stringify(roles)}) as one (id bigint, house_id bigint, position int)
      returning id, house_id
    )
    insert into member_roles (house_id, user_id, role_id) select house_id, ${ann.id}, id from made`.execute(
    db,
  )
  const client = await logIn(app, ann)
  const init = client.events[0]!
  expectExact(init)
  expect(Buffer.byteLength(init.text)).toBeLessThanOrEqual(3.5 * 1024 * 1024)
  const memberships: { roles: unknown[] }[] = Object.values(init.d.house_memberships)
  expect(memberships).toHaveLength(60)
  const counts = memberships.map(({ roles }) => roles.length)
  expect([counts[0], counts[59]]).toEqual([250, 0])
  expect(init.d.private_rooms).toEqual([])
  expect(client.events.filter(({ e }) => e === 'HOUSE_JOIN')).toHaveLength(60)
})

test('lists the read states of the 10,000 rooms with the newest messages', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const ids = Array.from({ length: 10_050 }, () => newId())
  const each = sql`unnest(${ids}::bigint[]) with ordinality as one (id, position)`
  await sql`insert into rooms (id, house_id, type, name, position)
    select id, ${den.id}, 0, 'room', position from ${each}`.execute(db)
  await sql`insert into read_states (user_id, room_id, message_id) select ${ann.id}, id, id from ${each}`.execute(
    db,
  )
  const { body } = await call(ann, 'GET', '/users/@me/read-state')
  expect(Object.keys(body.data).sort()).toEqual(ids.slice(50))
})
