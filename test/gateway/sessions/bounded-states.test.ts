import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { crowd, groups } from '../../support/crowds.ts'
import { expectExact, listen, logIn } from '../../support/gateway.ts'
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
  await sql`
    with dens as (
      insert into houses (id, name, owner_id, default_permissions)
      select n, 'Den', ${ann.id}, 0 from generate_series(1001, 1060) as n returning id
    ), joined as (
      insert into members (house_id, user_id) select id, ${ann.id} from dens
    )
    insert into roles (id, house_id, name, position, color, allow, deny)
    select id * 1000 + n, id, repeat('🚀', 64), n, '#000000', 0, 0 from dens, generate_series(1, 250) as n`.execute(
    db,
  )
  await sql`insert into member_roles (house_id, user_id, role_id)
    select house_id, ${ann.id}, id from roles where house_id between 1001 and 1060`.execute(db)
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
  await sql`insert into rooms (id, house_id, type, name, position)
    select n, ${den.id}, 0, 'room', n - 2000000 from generate_series(2000001, 2010050) as n`.execute(db)
  await sql`insert into read_states (user_id, room_id, message_id)
    select ${ann.id}, n, n from generate_series(2000001, 2010050) as n`.execute(db)
  const { body } = await call(ann, 'GET', '/users/@me/read-state')
  const rooms = Object.keys(body.data)
  expect(rooms).toHaveLength(10_000)
  expect([rooms[0], rooms.at(-1)]).toEqual(['2000051', '2010050'])
})
