import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { crowd, fillHouse, join, longestProfile } from '../../support/crowds.ts'
import { type Client, expectExact, listen, logIn } from '../../support/gateway.ts'
import { call, type Den, db, house, user } from '../../support/world.ts'

const app = await listen()
const maxFrameBytes = 3.5 * 1024 * 1024

type ShownRoom = { id: string; permission_overrides: Record<string, unknown> | null }

/** Fills a house: 2,600 members with full profiles, of which the first hundred have all roles. */
async function largestHouse(den: Den): Promise<void> {
  await fillHouse(den)
  const members = await crowd(2_600, longestProfile)
  await join(den, members)
  await sql`
    insert into member_roles (house_id, user_id, role_id)
    select ${den.id}, user_id, roles.id
    from roles, unnest(${[den.owner.id, ...members.slice(0, 100)]}::bigint[]) as user_id
    where roles.house_id = ${den.id}`.execute(db)
}

/** Expects no frame that existing clients refuse. Returns the names of the events. */
function weigh(client: Client): Set<string> {
  for (const frame of client.events) {
    expect(Buffer.byteLength(frame.text), frame.e).toBeLessThanOrEqual(maxFrameBytes)
    expectExact(frame)
  }
  return new Set(client.events.map((frame) => frame.e!))
}

test('no frame of the largest possible house exceeds 3.5 MiB', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await largestHouse(den)
  const [owner, client] = [await logIn(app, ann), await logIn(app, ben)]
  const [role] = (await call(ann, 'GET', `/houses/${den.id}/roles`)).body.data
  const acts: [string, string, unknown?][] = [
    ['PATCH', `/houses/${den.id}`, { name: 'Den', default_permissions: 0 }],
    ['PATCH', `/houses/${den.id}`, { name: 'Den', default_permissions: 3 }],
    ['PATCH', `/houses/${den.id}/roles/${role.id}`, { name: 'R' }],
    ['PATCH', `/rooms/${den.room_id}`, { name: 'lobby' }],
    ['PATCH', `/houses/${den.id}/entities/${den.entity_id}`, { name: 'E' }],
    ['PUT', `/houses/${den.id}/members/${ben.id}/roles/${role.id}`],
  ]
  for (const [method, path, body] of acts) {
    const { status } = await call(ann, method as 'PUT', path, body)
    expect([path, status < 300]).toEqual([path, true])
    // Else the next change of the house could be joined with this one, and no room would be removed.
    if (path === `/houses/${den.id}`) await client.next('HOUSE_UPDATE')
  }
  client.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  const listed = new Set<string>()
  while (listed.size < 2_602) {
    const { d } = await client.next('HOUSE_MEMBERS_CHUNK')
    for (const id of Object.keys(d.members)) listed.add(id)
  }
  expect([...weigh(client)]).toEqual(
    expect.arrayContaining([
      'HOUSE_JOIN',
      'HOUSE_UPDATE',
      'ROOM_CREATE',
      'ROOM_DELETE',
      'ROOM_UPDATE',
      'ROLE_UPDATE',
      'HOUSE_ENTITIES_UPDATE',
      'HOUSE_MEMBER_UPDATE',
      'HOUSE_MEMBERS_CHUNK',
    ]),
  )
  weigh(owner)
  const [, join] = client.events
  expect(join!.d.rooms).toHaveLength(500)
  expect(join!.d.members.length).toBeGreaterThan(10)
})

test('shows at most 5,000 overrides, the own ones first', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await fillHouse(den)
  const own = (id: string) => JSON.stringify({ [id]: { id, type: 1, allow: 1, deny: 0 } })
  await sql`
    update rooms set permission_overrides = (
      select jsonb_object_agg(n::text, jsonb_build_object('id', n::text, 'type', 1, 'allow', 1048575, 'deny', 0))
      from generate_series(1000, 1129) as n
    ) || ${own(ben.id)}::jsonb where house_id = ${den.id}`.execute(db)
  const client = await logIn(app, ben)
  weigh(client)
  const rooms: ShownRoom[] = client.events[1]!.d.rooms
  expect(rooms).toHaveLength(500)
  expect(rooms.every((room) => room.permission_overrides?.[ben.id])).toBe(true)
  const shown = rooms.reduce((sum, room) => sum + Object.keys(room.permission_overrides ?? {}).length, 0)
  expect(shown).toBe(5_000)
})
