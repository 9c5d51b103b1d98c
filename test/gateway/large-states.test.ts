import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Caller } from '../../src/auth/queries.ts'
import type { Connection } from '../../src/gateway/connection.ts'
import { Session } from '../../src/gateway/session.ts'
import { expectExact, type Frame, listen, logIn } from '../support/gateway.ts'
import { expectSilence } from '../support/gateway-scene.ts'
import {
  bus,
  call,
  type Den,
  db,
  friends,
  group,
  house,
  houseRoom,
  oneToOne,
  type Person,
  user,
} from '../support/world.ts'

const app = await listen({ offlineAfterMs: 50 })
const maxFrameBytes = 3.5 * 1024 * 1024
const longBio = 'é'.repeat(512)

/** Holds that a frame is cut, and no shorter than it must be. */
function expectCut(frame: Frame): void {
  expectExact(frame)
  const bytes = Buffer.byteLength(frame.text)
  expect(bytes).toBeLessThanOrEqual(maxFrameBytes)
  expect(bytes).toBeGreaterThan(maxFrameBytes - 100_000)
}

/** What a session needs of its login, and a connection that there is not any more. */
const callerOf = (id: string) => ({ id, session_id: id }) as Caller
const offline = undefined as unknown as Connection

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  return process.memoryUsage().heapUsed
}

async function crowd(size: number): Promise<Person[]> {
  const people = await Promise.all(Array.from({ length: size }, () => user()))
  const ids = people.map(({ id }) => id)
  await sql`update users set bio = ${longBio} where id = any(${ids}::bigint[])`.execute(db)
  return people
}

test('an INIT_STATE that is too large names nobody online, and the private rooms latest in use alone', async () => {
  const ann = await user()
  const people = await crowd(49)
  const rooms: string[] = []
  for (let count = 0; count < 70; count += 1) rooms.push(await group(ann, ...people))
  await logIn(app, people[0]!)
  const oldest = rooms[0]!
  const forgotten = rooms[1]!
  expect((await call(ann, 'POST', `/rooms/${oldest}/messages`, { content: 'in use' })).status).toBe(200)
  const client = await logIn(app, ann)
  const init = client.events[0]!
  expectCut(init)
  const named = init.d.private_rooms.map((room: { id: string }) => room.id)
  expect(named.length).toBeLessThan(70)
  expect(named).toEqual([oldest, ...rooms.slice(1).reverse()].slice(0, named.length))
  expect(init.d.presences).toEqual({})
  client.takeAll()
  await call(people[1]!, 'POST', `/rooms/${forgotten}/messages`, { content: 'nothing of what was not named' })
  await expectSilence(client, ann)
})

test('relations that are too large go last, and requests before friends', async () => {
  const [ann, friend, partner] = [await user(), await user(), await user()]
  const emoji = '💬'
  await sql`insert into users (id, username, name, bio, website, location)
    select n, 'asker' || n, repeat(${emoji}, 64), repeat(${emoji}, 512), repeat(${emoji}, 256), repeat(${emoji}, 64)
    from generate_series(40001, 40999) as n`.execute(db)
  await sql`insert into friend_requests (from_id, to_id)
    select n, ${ann.id} from generate_series(40001, 40999) as n`.execute(db)
  await friends(ann, friend)
  await oneToOne(ann, partner)
  const client = await logIn(app, ann)
  const init = client.events[0]!
  expectCut(init)
  expect(init.d.private_rooms).toEqual([])
  expect(init.d.relationships[friend.id].type).toBe(3)
})

test('a HOUSE_JOIN that is too large lists as many members as fit, oneself first', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  await sql`insert into users (id, username, name, bio)
    select n, 'member' || n, repeat('é', 64), ${longBio} from generate_series(1, 2600) as n`.execute(db)
  await sql`insert into members (house_id, user_id)
    select ${den.id}, n from generate_series(1, 2600) as n`.execute(db)
  await sql`insert into members (house_id, user_id, joined_at)
    values (${den.id}, ${ben.id}, now() + interval '1 hour')`.execute(db)
  const client = await logIn(app, ben)
  const join = client.events[1]!
  expectCut(join)
  expect(join.d.members.length).toBeLessThan(2500)
  expect(join.d.members.slice(0, 2).map((one: { id: string }) => one.id)).toEqual([ben.id, ann.id])
})

test('members who are too large for one HOUSE_MEMBERS_CHUNK come in two, though they are a thousand', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const emoji = '💬'
  await sql`insert into users (id, username, name, bio, website, location)
    select n, 'wordy' || n, repeat(${emoji}, 64), repeat(${emoji}, 512), repeat(${emoji}, 256), repeat(${emoji}, 64)
    from generate_series(50001, 50999) as n`.execute(db)
  await sql`insert into members (house_id, user_id)
    select ${den.id}, n from generate_series(50001, 50999) as n`.execute(db)
  const client = await logIn(app, ann)
  client.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  const chunks = [await client.next('HOUSE_MEMBERS_CHUNK'), await client.next('HOUSE_MEMBERS_CHUNK')]
  expectCut(chunks[0]!)
  const listed = chunks.flatMap((frame) => Object.keys(frame.d.members))
  expect([listed.length, new Set(listed).size]).toEqual([1_000, 1_000])
})

/** Lets the first 400 of a thousand members know the house, from another id each time, as if they had lost their lines. */
async function detachedMembers(den: Den, firstId: number, rooms: string[]): Promise<Session[]> {
  await sql`insert into users (id, username, name)
    select n, 'mass' || n, 'Mass' from generate_series(${firstId}::int, ${firstId + 999}::int) as n`.execute(
    db,
  )
  await sql`insert into members (house_id, user_id)
    select ${den.id}, n from generate_series(${firstId}::int, ${firstId + 999}::int) as n`.execute(db)
  const { hub } = app.gateway
  return Array.from({ length: 400 }, (_, n) => {
    const session = new Session(callerOf(`${firstId + n}`), false, offline)
    hub.add(session)
    hub.enterHouse(session, den.id, rooms)
    hub.goLive(session)
    return session
  })
}

test('a changed house is kept for a replay once, not as often as it has connected members', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  const sessions = await detachedMembers(den, 20_001, [den.room_id])
  const { detached } = app.gateway.hub
  for (const session of sessions) detached.add(session)
  const before = heapBytes()
  expect((await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'Changed' })).status).toBe(200)
  const grown = heapBytes() - before
  const told = sessions.map((session) => JSON.parse([...session.kept][0]!.json).members)
  expect(told.every((members) => members.length === 1001)).toBe(true)
  expect(told.map((members) => members[0].id)).toEqual(sessions.map((session) => session.userId))
  // Some 350 KB each: as a text of its own for everybody it would be 140 MB.
  const maxBytes = 40 * 1024 * 1024
  expect(grown).toBeLessThan(maxBytes)
  // Nor are sessions let go for it that wait for a resume.
  expect([...detached.due({ ...app.gateway.settings, maxDetachedBytes: maxBytes })]).toEqual([])
  for (const session of sessions) app.gateway.hub.remove(session)
})

test('rooms that become readable for many are kept once as well', async () => {
  const ann = await user()
  const den = await house({ owner: ann, default_permissions: 0 })
  for (let count = 1; count < 300; count += 1) await houseRoom(den)
  const sessions = await detachedMembers(den, 30_001, [])
  const before = heapBytes()
  const edit = { name: 'Den', default_permissions: 3 }
  expect((await call(ann, 'PATCH', `/houses/${den.id}`, edit)).status).toBe(200)
  const grown = heapBytes() - before
  const names = ['HOUSE_UPDATE', ...Array(300).fill('ROOM_CREATE'), 'HOUSE_ENTITIES_UPDATE']
  for (const { kept } of sessions) expect([...kept].map((event) => event.name).join()).toBe(names.join())
  // 300 rooms of some 250 bytes, and the entity: 40 MB as texts of their own.
  expect(grown).toBeLessThan(25 * 1024 * 1024)
  for (const session of sessions) app.gateway.hub.remove(session)
})

test('in a house of a thousand members who comes and goes is told, in a bigger one not', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  await sql`insert into users (id, username, name)
    select n, 'crowd' || n, 'Crowd' from generate_series(10001, 10999) as n`.execute(db)
  await sql`insert into members (house_id, user_id)
    select ${den.id}, n from generate_series(10001, 10998) as n`.execute(db)
  const client = await logIn(app, ann)
  const first = await logIn(app, ben)
  expectExact(await client.next('HOUSE_MEMBER_ENTER'))
  await first.close()
  await client.next('HOUSE_MEMBER_EXIT')
  await sql`insert into members (house_id, user_id) values (${den.id}, 10999)`.execute(db)
  client.takeAll()
  const second = await logIn(app, ben)
  await second.close()
  client.send({ op: 6, d: { user_ids: [ben.id] } })
  await client.until(() => client.events.at(-1)?.d.presence === 'offline', 'being offline')
  await bus.publish([{ type: 'member_updated', house_id: den.id, user_id: ann.id }])
  await client.next('HOUSE_MEMBER_UPDATE')
  expect(client.events.filter((frame) => /ENTER|EXIT/.test(frame.e!))).toHaveLength(2)
})

test('op 6 with more than a thousand ids is ignored, with a thousand it is not', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const client = await logIn(app, ann)
  client.takeAll()
  client.send({ op: 6, d: { user_ids: Array(1001).fill(ben.id) } })
  client.send({ op: 7, d: { house_id: den.id, user_ids: [ben.id] } })
  await client.next('HOUSE_MEMBERS_CHUNK')
  expect(client.passed).toEqual([])
  client.send({ op: 6, d: { user_ids: Array(1000).fill(ben.id) } })
  expect((await client.next('PRESENCE_UPDATE')).d.id).toBe(ben.id)
})
