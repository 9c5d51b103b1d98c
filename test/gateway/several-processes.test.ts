import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { hashPassword } from '../../src/auth/passwords.ts'
import { createBus } from '../../src/events/bus.ts'
import { usersElsewhere } from '../../src/events/presence.ts'
import { password } from '../support/accounts.ts'
import { type Client, logIn, resume } from '../support/gateway.ts'
import { inviteTo } from '../support/invites.ts'
import { ask, startProcess } from '../support/processes.ts'
import { relayDoubles } from '../support/relay-double.ts'
import { db, friends, group, house, houseRoom, oneToOne, type Person, user } from '../support/world.ts'

// Two processes that hear of each other late: what one has answered holds for what the other does next.

const lateMs = 100
const readMessages = 2
let isLosing = false
const openRelay = relayDoubles(() => (isLosing ? [] : [lateMs]))
const here = await startProcess(createBus(openRelay()))
const there = await startProcess(createBus(openRelay()))
// They know of each other.
await vi.waitUntil(() => here.bus.isShared && there.bus.isShared, 10_000)

/** What somebody at the one process hears of a change made at the other, and of the message that follows it here. */
async function heardNext(by: Person, listener: Person, change: () => Promise<string>): Promise<string[]> {
  const client = await logIn(there, listener)
  const before = client.events.length
  const room = await change()
  await ask(there, by, 'POST', `/rooms/${room}/messages`, { content: 'next' })
  // What comes late comes in its order: when this has come, all of it has.
  await ask(here, listener, 'PATCH', '/users/@me', { bio: `after ${room}` })
  // The last event is about the house as well; of an earlier call that may come only now.
  const named = () =>
    client.events
      .slice(before)
      .map((frame) => frame.e!)
      .filter((name) => name !== 'HOUSE_MEMBER_UPDATE')
  await client.until(() => named().includes('USER_UPDATE'), 'the last event')
  await client.close()
  return named().slice(0, named().indexOf('USER_UPDATE'))
}

async function scene() {
  const [ann, ben, cat] = [await user(), await user(), await user()]
  const den = await house({ owner: ann, members: [ben] })
  return { ann, ben, den, trio: await group(ann, cat), full: await group(ann, cat, ben) }
}

const gained = ['ROOM_CREATE', 'HOUSE_ENTITIES_UPDATE', 'MESSAGE_CREATE']
const lost = ['ROOM_DELETE', 'HOUSE_ENTITIES_UPDATE']

test('who enters a private room hears the first message in it', async () => {
  const { ann, ben, trio } = await scene()
  const pair = async () => (await ask(here, ann, 'POST', '/users/@me/rooms', { recipient: ben.id })).id
  expect(await heardNext(ann, ben, pair)).toEqual(['ROOM_CREATE', 'MESSAGE_CREATE'])
  const add = async () => (await ask(here, ann, 'PUT', `/rooms/${trio}/recipients/${ben.id}`)).id
  expect(await heardNext(ann, ben, add)).toEqual(['ROOM_CREATE', 'MESSAGE_CREATE'])
})

test('who can read a room from now on hears the first message in it', async () => {
  const { ann, ben, den } = await scene()
  const make = async () => (await ask(here, ann, 'POST', `/houses/${den.id}/rooms`, { name: 'new' })).id
  expect(await heardNext(ann, ben, make)).toEqual(gained)
  const shut = await houseRoom(den, { default_deny: readMessages })
  const defaults = `/rooms/${shut}/default-permissions`
  const open = async () => (await ask(here, ann, 'PATCH', defaults, { allow: 0, deny: 0 })).id
  expect(await heardNext(ann, ben, open)).toEqual(gained)
})

test('who is out hears no message that was sent after the answer', async () => {
  const { ann, ben, den, full } = await scene()
  const room = await houseRoom(den)
  const defaults = `/rooms/${room}/default-permissions`
  const shut = async () => (await ask(here, ann, 'PATCH', defaults, { allow: 0, deny: readMessages })).id
  expect(await heardNext(ann, ben, shut)).toEqual(lost)
  const remove = async () => (await ask(here, ann, 'DELETE', `/rooms/${full}/recipients/${ben.id}`)).id
  expect(await heardNext(ann, ben, remove)).toEqual(['ROOM_DELETE'])
  const kick = async () => {
    await ask(here, ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
    return den.room_id
  }
  expect(await heardNext(ann, ben, kick)).toEqual(['HOUSE_LEAVE'])
})

test('who left a house, and joins it at another process that does not know that yet, is a member everywhere', async () => {
  const { ann, ben, den } = await scene()
  const code = await inviteTo(den)
  const [own, ownThere] = [await logIn(here, ben), await logIn(there, ben)]
  const [others, othersThere] = [await logIn(here, ann), await logIn(there, ann)]
  const before = new Map([own, ownThere, others, othersThere].map((one) => [one, one.events.length]))
  const heard = (client: Client) =>
    client.events
      .slice(before.get(client))
      .map((frame) => frame.e!)
      .filter((name) => /^HOUSE_(MEMBER_)?(JOIN|LEAVE)$|^MESSAGE_CREATE$/.test(name))
  const kick = ask(here, ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
  await own.next('HOUSE_LEAVE')
  await ask(there, ben, 'POST', `/invites/${code}`)
  await kick
  await ask(there, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'next' })
  for (const client of before.keys()) await client.next('MESSAGE_CREATE')
  expect(heard(own)).toEqual(['HOUSE_LEAVE', 'HOUSE_JOIN', 'MESSAGE_CREATE'])
  expect(heard(ownThere)).toEqual(['HOUSE_LEAVE', 'HOUSE_JOIN', 'MESSAGE_CREATE'])
  expect(heard(others)).toEqual(['HOUSE_MEMBER_LEAVE', 'HOUSE_MEMBER_JOIN', 'MESSAGE_CREATE'])
  expect(heard(othersThere).slice(-3)).toEqual(['HOUSE_MEMBER_LEAVE', 'HOUSE_MEMBER_JOIN', 'MESSAGE_CREATE'])
})

test('who is removed from a group, and added at another process that does not know that yet, is in it everywhere', async () => {
  const { ann, ben, full } = await scene()
  const [own, ownThere] = [await logIn(here, ben), await logIn(there, ben)]
  const removal = ask(here, ann, 'DELETE', `/rooms/${full}/recipients/${ben.id}`)
  await own.next('ROOM_DELETE')
  await ask(there, ann, 'PUT', `/rooms/${full}/recipients/${ben.id}`)
  await removal
  await ask(there, ann, 'POST', `/rooms/${full}/messages`, { content: 'next' })
  for (const client of [own, ownThere]) {
    await client.next('MESSAGE_CREATE')
    const heard = client.events
      .map((frame) => frame.e!)
      .filter((name) => /^ROOM_(DELETE|CREATE)$|^MESSAGE_CREATE$/.test(name))
    expect(heard).toEqual(['ROOM_DELETE', 'ROOM_CREATE', 'MESSAGE_CREATE'])
  }
})

test('what two processes answered one after the other is told everywhere in that order', async () => {
  const { ann, ben, den } = await scene()
  const said = (await ask(here, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'said' })).id
  const { id: role_id } = await ask(here, ann, 'POST', `/houses/${den.id}/roles`, { name: 'made' })
  const clients = [await logIn(here, ann), await logIn(there, ann)]
  const changed: [string, string][] = [
    [`/rooms/${den.room_id}/messages/${said}`, 'content'],
    [`/houses/${den.id}/roles/${role_id}`, 'name'],
    [`/houses/${den.id}`, 'name'],
    [`/rooms/${den.room_id}`, 'name'],
    ['/users/@me', 'bio'],
  ]
  for (const [index, at] of [here, there, here, there].entries()) {
    await Promise.all(
      changed.map(([path, field]) => ask(at, ann, 'PATCH', path, { [field]: `change ${index}` })),
    )
  }
  await ask(here, ann, 'POST', '/relationships/@me/friend-requests', { user_id: ben.id })
  await ask(there, ben, 'POST', '/relationships/@me/friend-requests', { user_id: ann.id })
  for (const client of clients) {
    await client.next('RELATIONSHIP_UPDATE')
    await client.next('RELATIONSHIP_UPDATE')
    const told = (e: string, key: string) =>
      client.events.filter((frame) => frame.e === e).map((frame) => frame.d[key])
    const changes = ['change 0', 'change 1', 'change 2', 'change 3']
    expect(told('MESSAGE_UPDATE', 'content')).toEqual(changes)
    expect(told('ROLE_UPDATE', 'name')).toEqual(changes)
    expect(told('HOUSE_UPDATE', 'name')).toEqual(changes)
    expect(told('ROOM_UPDATE', 'name')).toEqual(changes)
    expect(told('USER_UPDATE', 'bio')).toEqual(changes)
    expect(told('RELATIONSHIP_UPDATE', 'type')).toEqual([1, 3])
  }
})

test('of changes at the same moment at two processes, the last event everywhere tells what became of them', async () => {
  const { ann, ben, den } = await scene()
  const { id: role_id } = await ask(here, ann, 'POST', `/houses/${den.id}/roles`, { name: 'made' })
  const said = (await ask(here, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'said' })).id
  const clients = [await logIn(here, ann), await logIn(there, ann)]
  const request = (at: typeof here, by: Person, to: Person) =>
    ask(at, by, 'POST', '/relationships/@me/friend-requests', { user_id: to.id })
  const rename = (at: typeof here, name: string) =>
    ask(at, ann, 'PATCH', `/houses/${den.id}/roles/${role_id}`, { name })
  await Promise.all([request(here, ann, ben), request(there, ben, ann)])
  await Promise.all([rename(here, 'one'), rename(there, 'other'), rename(here, 'third')])
  const edit = (at: typeof here, content: string) =>
    ask(at, ann, 'PATCH', `/rooms/${den.room_id}/messages/${said}`, { content })
  await Promise.all([edit(here, 'one'), edit(there, 'other'), edit(here, 'third')])
  const { content } = await db
    .selectFrom('messages')
    .select('content')
    .where('id', '=', said)
    .executeTakeFirstOrThrow()
  const { name } = await db
    .selectFrom('roles')
    .select('name')
    .where('id', '=', role_id)
    .executeTakeFirstOrThrow()
  for (const client of clients) {
    const last = (e: string) => client.events.findLast((frame) => frame.e === e)?.d
    await expect.poll(() => client.events.filter((frame) => frame.e === 'ROLE_UPDATE').length).toBe(3)
    expect(last('RELATIONSHIP_UPDATE').type).toBe(3)
    expect(last('ROLE_UPDATE').name).toBe(name)
    await expect.poll(() => client.events.filter((frame) => frame.e === 'MESSAGE_UPDATE').length).toBe(3)
    expect(last('MESSAGE_UPDATE').content).toBe(content)
  }
})

test('an edit that is heard of after the deletion of its message is not told any more', async () => {
  const { ann, den } = await scene()
  const path = `/rooms/${den.room_id}/messages`
  const [own, other] = [await logIn(here, ann), await logIn(there, ann)]
  const said = (await ask(here, ann, 'POST', path, { content: 'said' })).id
  await other.next('MESSAGE_CREATE')
  const edit = ask(here, ann, 'PATCH', `${path}/${said}`, { content: 'edited' })
  await own.next('MESSAGE_UPDATE')
  await ask(there, ann, 'DELETE', `${path}/${said}`)
  await edit
  await ask(here, ann, 'POST', path, { content: 'next' })
  await other.next('MESSAGE_CREATE')
  const names = other.events.map((frame) => frame.e!).filter((name) => name.startsWith('MESSAGE_'))
  expect(names).toEqual(['MESSAGE_CREATE', 'MESSAGE_DELETE', 'MESSAGE_CREATE'])
})

test('of acks at two processes, the last event everywhere tells how far one has read', async () => {
  const { ann, ben, den } = await scene()
  const say = async () =>
    (await ask(here, ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'said' })).id
  const [first, second] = [await say(), await say()]
  const clients = [await logIn(here, ben, { extended: true }), await logIn(there, ben, { extended: true })]
  await ask(here, ben, 'POST', `/rooms/${den.room_id}/messages/${first}/ack`)
  await ask(there, ben, 'POST', `/rooms/${den.room_id}/messages/${second}/ack`)
  for (const client of clients) {
    await client.next('READ_STATE_UPDATE')
    expect((await client.next('READ_STATE_UPDATE')).d).toMatchObject({ message_id: second })
  }
})

test('what a process of an older version tells of a role is told as the role is now', async () => {
  const { ann, den } = await scene()
  const made = await ask(here, ann, 'POST', `/houses/${den.id}/roles`, { name: 'made' })
  const client = await logIn(there, ann)
  const role = { ...made, name: 'as it was then' }
  await here.bus.publish([{ type: 'role_updated', house_id: den.id, role }])
  expect((await client.next('ROLE_UPDATE')).d).toEqual(made)
})

test('a big house lists who is online at another process before those who are not', async () => {
  const { ann, ben, den } = await scene()
  await sql`insert into users (id, username, name)
    select n, 'crowd' || n, 'Crowd' from generate_series(1, 2600) as n`.execute(db)
  await sql`insert into members (house_id, user_id, joined_at)
    select ${den.id}, n, now() + n * interval '1 ms' from generate_series(1, 2600) as n`.execute(db)
  const dan = await user()
  await sql`insert into members (house_id, user_id, joined_at)
    values (${den.id}, ${dan.id}, now() + interval '1 hour')`.execute(db)
  await logIn(there, dan)
  await expect.poll(() => usersElsewhere()).toContain(dan.id)
  const client = await logIn(here, ben)
  const ids = client.events[1]!.d.members.map((one: { id: string }) => one.id)
  expect(ids.length).toBe(2500)
  expect(ids.slice(0, 4)).toEqual([ben.id, ann.id, dan.id, '1'])
})

test('who deletes their account is offline for everybody at once, at whichever process they are connected', async () => {
  const { ann, ben } = await scene()
  await friends(ann, ben)
  await oneToOne(ann, ben)
  const password_hash = await hashPassword(password)
  await db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  await logIn(there, ann)
  await expect.poll(() => usersElsewhere()).toContain(ann.id)
  const client = await logIn(here, ben)
  expect(client.events[0]!.d.presences).toHaveProperty(ann.id)
  await ask(here, ann, 'DELETE', '/users/@me', { password })
  const { user: deleted } = (await client.next('RELATIONSHIP_UPDATE')).d
  expect([deleted.name, deleted.presence]).toEqual(['Deleted user', 'offline'])
  // It may have come before.
  const presence = () => client.events.find((frame) => frame.e === 'PRESENCE_UPDATE')
  await client.until(() => presence() !== undefined, 'the presence')
  expect(presence()!.d).toMatchObject({ id: ann.id, presence: 'offline' })
})

test('who may have missed something, because the relay lost it, is closed and has to log in again', async () => {
  const { ann, ben, den } = await scene()
  const [lost, heard] = [await logIn(here, ben), await logIn(there, ben)]
  const { session_id } = lost.events[0]!.d
  isLosing = true
  await ask(there, ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
  isLosing = false
  await heard.next('HOUSE_LEAVE')
  await ask(there, ann, 'PATCH', `/houses/${den.id}`, { name: 'after it' })
  expect(await lost.end()).toEqual({ code: 1011, reason: 'internal_error' })
  expect(await resume(here, ben, session_id, lost.events.length).end()).toMatchObject({ code: 4009 })
  const fresh = await logIn(here, ben)
  expect(fresh.events[0]!.d.house_ids).toEqual([])
  expect(heard.closed).toBeUndefined()
})

test('who logs in after a loss is told of no message that is older than the login', async () => {
  const { ann, ben, full } = await scene()
  const say = (content: string) => ask(there, ann, 'POST', `/rooms/${full}/messages`, { content })
  const client = await logIn(here, ben)
  await say('before')
  await client.next('MESSAGE_CREATE')
  isLosing = true
  await say('lost')
  isLosing = false
  await ask(there, ann, 'PATCH', '/users/@me', { bio: 'noticed' })
  await client.end()
  const fresh = await logIn(here, ben)
  await say('new')
  expect((await fresh.next('MESSAGE_CREATE')).d.content).toBe('new')
})
