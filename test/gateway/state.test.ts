import { type KyselyPlugin, sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Connection } from '../../src/gateway/connection.ts'
import type { Payload } from '../../src/gateway/frames.ts'
import { tellHouseUpdated } from '../../src/gateway/house-events.ts'
import { loadHouseFor } from '../../src/gateway/house-state.ts'
import { Hub } from '../../src/gateway/hub.ts'
import { Session } from '../../src/gateway/session.ts'
import { expectExact, listen, logIn } from '../support/gateway.ts'
import {
  block,
  db,
  friends,
  group,
  house,
  houseRoom,
  message,
  oneToOne,
  type Person,
  role,
  user,
} from '../support/world.ts'

const app = await listen({ offlineAfterMs: 50 })
const readMessages = 2

/** A session without a connection. */
function sessionOf(id: string, emit: (event: Payload) => void): Session {
  const caller = { id, session_id: '1', bot: false, is_idle: false }
  return Object.assign(new Session(caller, false, undefined as unknown as Connection), { emit })
}

test('INIT_STATE holds exactly its keys, with every kind of thing in it', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  await friends(ann, ben)
  await block(ann, dan)
  const pair = await oneToOne(ann, ben)
  const trio = await group(ann, ben, cat)
  const den = await house({ owner: ann, members: [ben] })
  await message(pair, ben)
  const online = await logIn(app, ben)
  const client = await logIn(app, ann)
  for (const frame of client.events) expectExact(frame)
  const { d } = client.events[0]!
  expect(Object.keys(d)).toEqual([
    'user',
    'settings',
    'relationships',
    'read_state',
    'private_rooms',
    'presences',
    'house_memberships',
    'house_ids',
    'session_id',
  ])
  expect(d.user).toMatchObject({ id: ann.id, presence: 'online' })
  expect(Object.keys(d.relationships).sort()).toEqual([ben.id, dan.id].sort())
  expect([d.relationships[ben.id].type, d.relationships[dan.id].type]).toEqual([3, 5])
  expect(d.private_rooms.map((room: { id: string }) => room.id)).toEqual([pair, trio])
  expect(d.private_rooms[0].recipients.map((one: { id: string }) => one.id)).toEqual([ben.id])
  expect(Object.keys(d.presences)).toEqual([ben.id])
  expect(d.house_ids).toEqual([den.id])
  expect(d.house_memberships[den.id]).toMatchObject({ user_id: ann.id, house_id: den.id })
  expect(d.session_id).toMatch(/^[0-9a-f]{32}$/)
  expect(d.settings).toEqual({
    user_id: ann.id,
    theme: null,
    room_overrides: {},
    onboarded: false,
    enable_desktop_notifications: null,
  })
  expect(online.closed).toBeUndefined()
})

test('who has blocked one is not among the presences, nor who was only asked for friendship; who restricts one is', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  for (const partner of [ben, dan]) await oneToOne(ann, partner)
  await block(ben, ann)
  await block(dan, ann, 4)
  await db.insertInto('friend_requests').values({ from_id: ann.id, to_id: cat.id }).execute()
  for (const person of [ben, cat, dan]) await logIn(app, person)
  const client = await logIn(app, ann)
  expect(Object.keys(client.events[0]!.d.presences)).toEqual([dan.id])
})

test('there are as many HOUSE_JOINs as houses, in order of joining', async () => {
  const ann = await user()
  const dens = [await house({ owner: ann }), await house({ owner: ann }), await house({ owner: ann })]
  const client = await logIn(app, ann)
  expect(client.events.map((frame) => frame.e)).toEqual([
    'INIT_STATE',
    'HOUSE_JOIN',
    'HOUSE_JOIN',
    'HOUSE_JOIN',
  ])
  expect(client.events.slice(1).map((frame) => frame.d.id)).toEqual(dens.map((den) => den.id))
  expect(client.events[0]!.d.house_ids).toEqual(dens.map((den) => den.id))
})

test('HOUSE_JOIN shows the rooms the receiver can read, pointers to no other, and the own member first', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben, cat] })
  const secret = await houseRoom(den, { default_deny: readMessages })
  const crew = await role(den, { position: 3, members: [cat] })
  const rooms = async (person: typeof ann) => {
    const client = await logIn(app, person)
    const { d } = client.events[1]!
    expectExact(client.events[1]!)
    expect(d.members[0].id).toBe(person.id)
    expect(d.roles.map((one: { id: string }) => one.id)).toEqual([crew])
    const pointers = d.entities[0].resource_pointers.map((one: { resource_id: string }) => one.resource_id)
    expect(pointers).toEqual(d.rooms.map((room: { id: string }) => room.id))
    return pointers
  }
  expect(await rooms(ann)).toEqual([den.room_id, secret])
  expect(await rooms(ben)).toEqual([den.room_id])
})

test('a big house lists 2,500 members: oneself, the owner, those online, the longest-standing', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  await sql`insert into users (id, username, name)
    select n, 'crowd' || n, 'Crowd' from generate_series(1, 2600) as n`.execute(db)
  await sql`insert into members (house_id, user_id, joined_at)
    select ${den.id}, n, now() + n * interval '1 ms' from generate_series(1, 2600) as n`.execute(db)
  await sql`insert into members (house_id, user_id, joined_at)
    select ${den.id}, n, now() + interval '1 hour' from unnest(${[ben.id, cat.id]}::bigint[]) as n`.execute(
    db,
  )
  // As after the house was handed over: the owner is among the last who joined.
  await sql`update members set joined_at = now() + interval '2 hours'
    where house_id = ${den.id} and user_id = ${ann.id}`.execute(db)
  const online = await logIn(app, cat)
  const client = await logIn(app, ben)
  const ids = client.events[1]!.d.members.map((one: { id: string }) => one.id)
  expect(ids.length).toBe(2500)
  expect(ids.slice(0, 5)).toEqual([ben.id, ann.id, cat.id, '1', '2'])
  expectExact(client.events[1]!)
  online.takeAll()
  client.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  const seen = new Set<string>()
  for (let part = 0; part < 3; part++) {
    const chunk = await client.next('HOUSE_MEMBERS_CHUNK')
    expect(Object.keys(chunk.d.members).length).toBeLessThanOrEqual(1000)
    for (const id of Object.keys(chunk.d.members)) seen.add(id)
  }
  expect(seen.size).toBe(2603)
})

test('a changed house that is big is told to each member, however many sessions there are', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  await sql`insert into users (id, username, name)
    select n, 'throng' || n, 'Throng' from generate_series(5001, 7600) as n`.execute(db)
  await sql`insert into members (house_id, user_id) select ${den.id}, n from generate_series(5001, 7600) as n`.execute(
    db,
  )
  await sql`insert into members (house_id, user_id, joined_at)
    values (${den.id}, ${ben.id}, now() + interval '1 hour')`.execute(db)
  const told: string[][] = []
  const emit = ({ json }: Payload) => {
    told.push(JSON.parse(json).members.map((one: { id: string }) => one.id))
  }
  // Those before ben have left since; they are told nothing.
  const sessions = [
    ...Array.from({ length: 2600 }, (_, n) => sessionOf(`${n + 8000}`, emit)),
    sessionOf(ben.id, emit),
  ]
  const audience = { inHouse: () => sessions, inRoom: () => [], ofUser: () => [] }
  const gateway = { db, hub: new Hub() } as Parameters<typeof tellHouseUpdated>[0]
  await tellHouseUpdated(gateway, { type: 'house_updated', house_id: den.id }, audience)
  expect(told.map((ids) => [ids.length, ...ids.slice(0, 3)])).toEqual([[2500, ben.id, ann.id, '5001']])
})

/** A database where this user is gone from the lists of members, though not yet when they are looked for alone. */
function whereLeftFromLists(userId: string) {
  const leaving: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({
      ...result,
      rows: result.rows.filter((row) => !('joined_at' in row && !('place' in row) && row.user_id === userId)),
    }),
  }
  return db.withPlugin(leaving)
}

test('who leaves while the house they joined is read is told of it with their own membership', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const gateway = { db: whereLeftFromLists(ben.id), hub: new Hub() }
  const join = await loadHouseFor(gateway, den.id, ben.id)
  const { members } = JSON.parse(join!.event.json)
  expect(members.map((one: { id: string }) => one.id)).toEqual([ben.id, ann.id])
})

test('who leaves while a changed house is read is not told of it: no house comes without the own membership', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const told: string[] = []
  const session = ({ id }: Person) => sessionOf(id, () => told.push(id))
  const audience = { inHouse: () => [session(ann), session(ben)], inRoom: () => [], ofUser: () => [] }
  const gateway = { db: whereLeftFromLists(ben.id) } as Parameters<typeof tellHouseUpdated>[0]
  await tellHouseUpdated(gateway, { type: 'house_updated', house_id: den.id }, audience)
  expect(told).toEqual([ann.id])
})
