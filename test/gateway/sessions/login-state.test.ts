import { type KyselyPlugin, sql } from 'kysely'
import { expect, test } from 'vitest'
import { setPresence } from '../../../src/events/presence.ts'
import type { GatewayContext } from '../../../src/gateway/context.ts'
import { allSessions } from '../../../src/gateway/delivery/audience.ts'
import { houseHandlers } from '../../../src/gateway/delivery/house-events.ts'
import { houseJoin, listShownMembers, loadHouseJoin } from '../../../src/gateway/sessions/house-state.ts'
import { Session } from '../../../src/gateway/sessions/session.ts'
import { SessionRegistry } from '../../../src/gateway/sessions/session-registry.ts'
import type { Connection } from '../../../src/gateway/transport/connection.ts'
import type { Payload } from '../../../src/gateway/transport/frames.ts'
import { findHouseContents } from '../../../src/houses/contents-queries.ts'
import { crowd, join } from '../../support/crowds.ts'
import { expectExact, listen, logIn } from '../../support/gateway.ts'
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
} from '../../support/world.ts'

const app = await listen()
const readMessages = 2

/** A session without a connection. */
function sessionOf(id: string, emit: (event: Payload) => void): Session {
  const caller = { id, owner_id: id, session_id: '1', bot: false, is_idle: false }
  const session = new Session({ caller, id, extended: false, connection: undefined as unknown as Connection })
  return Object.assign(session, { emit: ([first]: readonly Payload[]) => emit(first!) })
}

test('INIT_STATE has exactly its keys', async () => {
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

test('presences include partners who restrict the user, not those who block them', async () => {
  const [ann, ben, cat, dan] = [await user(), await user(), await user(), await user()]
  for (const partner of [ben, dan]) await oneToOne(ann, partner)
  await block(ben, ann)
  await block(dan, ann, 4)
  await db.insertInto('friend_requests').values({ from_id: ann.id, to_id: cat.id }).execute()
  for (const person of [ben, cat, dan]) await logIn(app, person)
  const client = await logIn(app, ann)
  expect(Object.keys(client.events[0]!.d.presences)).toEqual([dan.id])
})

test('sends one HOUSE_JOIN for each house, in order of joining', async () => {
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

test('HOUSE_JOIN has the rooms the receiver can read, and the own member first', async () => {
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

test('lists 2,500 members of a large house: self, owner, online, first joined', async () => {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann })
  const others = (await crowd(2_600)).reverse()
  await sql`insert into members (house_id, user_id, joined_at)
    select ${den.id}, id, now() + place * interval '1 ms'
    from unnest(${others}::bigint[]) with ordinality as one (id, place)`.execute(db)
  await sql`insert into members (house_id, user_id, joined_at)
    select ${den.id}, n, now() + interval '1 hour' from unnest(${[ben.id, cat.id]}::bigint[]) as n`.execute(
    db,
  )
  // After a handover the owner is among the last who joined.
  await sql`update members set joined_at = now() + interval '2 hours'
    where house_id = ${den.id} and user_id = ${ann.id}`.execute(db)
  const online = await logIn(app, cat)
  const client = await logIn(app, ben)
  const ids = client.events[1]!.d.members.map((one: { id: string }) => one.id)
  expect(ids.length).toBe(2500)
  expect(ids.slice(0, 5)).toEqual([ben.id, ann.id, cat.id, others[0], others[1]])
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

test('sends HOUSE_UPDATE of a large house to members only', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  const others = await crowd(2_600)
  await join(den, others)
  await sql`insert into members (house_id, user_id, joined_at)
    values (${den.id}, ${ben.id}, now() + interval '1 hour')`.execute(db)
  const received: string[][] = []
  const emit = ({ json }: Payload) => {
    received.push(JSON.parse(json).members.map((one: { id: string }) => one.id))
  }
  // All before ben are no members any more.
  const sessions = [
    ...Array.from({ length: 2600 }, (_, n) => sessionOf(`${n + 1}`, emit)),
    sessionOf(ben.id, emit),
  ]
  const audience = {
    ...allSessions(new SessionRegistry(), { event: { type: 'events_lost' }, position: 0 }),
    sessionsInHouse: () => sessions,
  }
  const gateway = { db, registry: new SessionRegistry() } as GatewayContext
  await houseHandlers.house_updated!(gateway, { type: 'house_updated', house_id: den.id }, audience)
  expect(received.map((ids) => [ids.length, ...ids.slice(0, 3)])).toEqual([[2500, ben.id, ann.id, others[0]]])
})

test('lists a member with the present presence in logins that share a row', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const contents = (await findHouseContents(db, den.id))!
  const rows = await listShownMembers(db, contents)
  const shown = () => JSON.parse(houseJoin(contents, rows[0]!, rows).event.json).members[0].presence
  expect(shown()).toBe('offline')
  setPresence(ann.id, 'online')
  expect([shown(), shown()]).toEqual(['online', 'online'])
  setPresence(ann.id, 'offline')
  expect(shown()).toBe('offline')
})

/** A database where this user is found alone, but missing from lists of members. */
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

test('HOUSE_JOIN has the own member although they leave during the read', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const loaded = await loadHouseJoin(whereLeftFromLists(ben.id), den.id, ben.id)
  const { members } = JSON.parse(loaded!.event.json)
  expect(members.map((one: { id: string }) => one.id)).toEqual([ben.id, ann.id])
})

test('sends no HOUSE_UPDATE to a member who leaves during the read', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const received: string[] = []
  const session = ({ id }: Person) => sessionOf(id, () => received.push(id))
  const audience = {
    ...allSessions(new SessionRegistry(), { event: { type: 'events_lost' }, position: 0 }),
    sessionsInHouse: () => [session(ann), session(ben)],
  }
  const gateway = { db: whereLeftFromLists(ben.id) } as GatewayContext
  await houseHandlers.house_updated!(gateway, { type: 'house_updated', house_id: den.id }, audience)
  expect(received).toEqual([ann.id])
})
