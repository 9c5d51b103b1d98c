import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { crowd, groups, join, longestProfile } from '../../support/crowds.ts'
import { expectExact, type Frame, listen, logIn } from '../../support/gateway.ts'
import { expectSilence } from '../../support/gateway-scene.ts'
import { untilNoted } from '../../support/presences.ts'
import { bus, call, db, friends, house, oneToOne, user } from '../../support/world.ts'

const app = await listen({ offlineAfterMs: 20 })
const maxFrameBytes = 3.5 * 1024 * 1024
const longBio = 'é'.repeat(512)

/** Expects a frame that was cut, and no shorter than necessary. */
function expectCut(frame: Frame): void {
  expectExact(frame)
  const bytes = Buffer.byteLength(frame.text)
  expect(bytes).toBeLessThanOrEqual(maxFrameBytes)
  expect(bytes).toBeGreaterThan(maxFrameBytes - 100_000)
}

test('cuts INIT_STATE: presences first, then private rooms longest without activity', async () => {
  const ann = await user()
  const [ben, cat] = [await user(), await user()]
  const rooms = await groups(ann, [ben.id, cat.id, ...(await crowd(47, { bio: longBio }))], 70)
  await logIn(app, ben)
  await untilNoted(ben)
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
  await call(cat, 'POST', `/rooms/${forgotten}/messages`, { content: 'nothing of what was not named' })
  await expectSilence(client, ann)
})

test('cuts relationships last, requests before friends', async () => {
  const [ann, friend, partner] = [await user(), await user(), await user()]
  const askers = (await crowd(999, longestProfile)).map((from_id) => ({ from_id, to_id: ann.id }))
  await db.insertInto('friend_requests').values(askers).execute()
  await friends(ann, friend)
  await oneToOne(ann, partner)
  const client = await logIn(app, ann)
  const init = client.events[0]!
  expectCut(init)
  expect(init.d.private_rooms).toEqual([])
  expect(init.d.relationships[friend.id].type).toBe(3)
})

test('cuts the members of HOUSE_JOIN to what fits, oneself first', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann })
  await join(den, await crowd(2_600, { name: 'é'.repeat(64), bio: longBio }))
  await sql`insert into members (house_id, user_id, joined_at)
    values (${den.id}, ${ben.id}, now() + interval '1 hour')`.execute(db)
  const client = await logIn(app, ben)
  const joined = client.events[1]!
  expectCut(joined)
  expect(joined.d.members.length).toBeLessThan(2500)
  expect(joined.d.members.slice(0, 2).map((one: { id: string }) => one.id)).toEqual([ben.id, ann.id])
})

test('splits 1,000 large members into several chunks', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await join(den, await crowd(999, longestProfile))
  const client = await logIn(app, ann)
  client.send({ op: 7, d: { house_id: den.id, user_ids: [] } })
  const listed: string[] = []
  while (listed.length < 1_000) {
    const chunk = await client.next('HOUSE_MEMBERS_CHUNK')
    expectExact(chunk)
    expect(Buffer.byteLength(chunk.text)).toBeLessThanOrEqual(1024 * 1024 + 256)
    listed.push(...Object.keys(chunk.d.members))
  }
  expect([listed.length, new Set(listed).size]).toEqual([1_000, 1_000])
})

test('sends HOUSE_MEMBER_ENTER and EXIT in houses of up to 1,000 members', async () => {
  const [ann, ben] = [await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  const [last, ...others] = await crowd(999)
  await join(den, others)
  const client = await logIn(app, ann)
  const first = await logIn(app, ben)
  expectExact(await client.next('HOUSE_MEMBER_ENTER'))
  await first.close()
  await client.next('HOUSE_MEMBER_EXIT')
  await join(den, [last!])
  client.takeAll()
  const second = await logIn(app, ben)
  await second.close()
  client.send({ op: 6, d: { user_ids: [ben.id] } })
  await client.until(() => client.events.at(-1)?.d.presence === 'offline', 'being offline')
  await bus.publish([{ type: 'member_updated', house_id: den.id, user_id: ann.id }])
  await client.next('HOUSE_MEMBER_UPDATE')
  expect(client.events.filter((frame) => /ENTER|EXIT/.test(frame.e!))).toHaveLength(2)
})

test('ignores op 6 with more than 1,000 ids', async () => {
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
