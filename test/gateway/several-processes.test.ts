import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hashPassword } from '../../src/auth/passwords.ts'
import { password } from '../support/accounts.ts'
import { newBus } from '../support/bus.ts'
import { crowd, join } from '../support/crowds.ts'
import { type Client, logIn } from '../support/gateway.ts'
import { inviteTo } from '../support/invites.ts'
import { untilNoted } from '../support/presences.ts'
import { ask, startProcess } from '../support/processes.ts'
import { scene, twoProcesses } from '../support/two-processes.ts'
import { db, friends, houseRoom, oneToOne, type Person, user } from '../support/world.ts'

// Two processes whose messages to each other come late.

const { here, there } = await twoProcesses()
const readMessages = 2

/** The events that a client at one process receives of a change at the other, and of a message after it. */
async function receivedOf(by: Person, listener: Person, change: () => Promise<string>): Promise<string[]> {
  const client = await logIn(there, listener)
  const before = client.events.length
  const room = await change()
  await ask(there, by, 'POST', `/rooms/${room}/messages`, { content: 'next' })
  // Events come in order: this one is the last.
  await ask(here, listener, 'PATCH', '/users/@me', { bio: `after ${room}` })
  // The last change sends HOUSE_MEMBER_UPDATE as well, which may follow in a later call.
  const named = () =>
    client.events
      .slice(before)
      .map((frame) => frame.e!)
      .filter((name) => name !== 'HOUSE_MEMBER_UPDATE')
  await client.until(() => named().includes('USER_UPDATE'), 'the last event')
  await client.close()
  return named().slice(0, named().indexOf('USER_UPDATE'))
}

const gained = ['ROOM_CREATE', 'HOUSE_ENTITIES_UPDATE', 'MESSAGE_CREATE']
const lost = ['ROOM_DELETE', 'HOUSE_ENTITIES_UPDATE']

test('sends the first message of a private room to one who enters it', async () => {
  const { ann, ben, trio } = await scene()
  const pair = async () => (await ask(here, ann, 'POST', '/users/@me/rooms', { recipient: ben.id })).id
  expect(await receivedOf(ann, ben, pair)).toEqual(['ROOM_CREATE', 'MESSAGE_CREATE'])
  const add = async () => (await ask(here, ann, 'PUT', `/rooms/${trio}/recipients/${ben.id}`)).id
  expect(await receivedOf(ann, ben, add)).toEqual(['ROOM_CREATE', 'MESSAGE_CREATE'])
})

test('sends the first message of a room to those who can read it from now on', async () => {
  const { ann, ben, den } = await scene()
  const make = async () => (await ask(here, ann, 'POST', `/houses/${den.id}/rooms`, { name: 'new' })).id
  expect(await receivedOf(ann, ben, make)).toEqual(gained)
  const shut = await houseRoom(den, { default_deny: readMessages })
  const defaults = `/rooms/${shut}/default-permissions`
  const open = async () => (await ask(here, ann, 'PATCH', defaults, { allow: 0, deny: 0 })).id
  expect(await receivedOf(ann, ben, open)).toEqual(gained)
})

test('sends no message after the answer that ended access', async () => {
  const { ann, ben, den, full } = await scene()
  const room = await houseRoom(den)
  const defaults = `/rooms/${room}/default-permissions`
  const shut = async () => (await ask(here, ann, 'PATCH', defaults, { allow: 0, deny: readMessages })).id
  expect(await receivedOf(ann, ben, shut)).toEqual(lost)
  const remove = async () => (await ask(here, ann, 'DELETE', `/rooms/${full}/recipients/${ben.id}`)).id
  expect(await receivedOf(ann, ben, remove)).toEqual(['ROOM_DELETE'])
  const kick = async () => {
    await ask(here, ann, 'DELETE', `/houses/${den.id}/members/${ben.id}`)
    return den.room_id
  }
  expect(await receivedOf(ann, ben, kick)).toEqual(['HOUSE_LEAVE'])
})

test('leaving at one process and joining at another ends as a member everywhere', async () => {
  const { ann, ben, den } = await scene()
  const code = await inviteTo(den)
  const [own, ownThere] = [await logIn(here, ben), await logIn(there, ben)]
  const [others, othersThere] = [await logIn(here, ann), await logIn(there, ann)]
  const before = new Map([own, ownThere, others, othersThere].map((one) => [one, one.events.length]))
  const received = (client: Client) =>
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
  expect(received(own)).toEqual(['HOUSE_LEAVE', 'HOUSE_JOIN', 'MESSAGE_CREATE'])
  expect(received(ownThere)).toEqual(['HOUSE_LEAVE', 'HOUSE_JOIN', 'MESSAGE_CREATE'])
  expect(received(others)).toEqual(['HOUSE_MEMBER_LEAVE', 'HOUSE_MEMBER_JOIN', 'MESSAGE_CREATE'])
  expect(received(othersThere).slice(-3)).toEqual([
    'HOUSE_MEMBER_LEAVE',
    'HOUSE_MEMBER_JOIN',
    'MESSAGE_CREATE',
  ])
})

test('a removal at one process and an addition at another ends inside everywhere', async () => {
  const { ann, ben, full } = await scene()
  const [own, ownThere] = [await logIn(here, ben), await logIn(there, ben)]
  const removal = ask(here, ann, 'DELETE', `/rooms/${full}/recipients/${ben.id}`)
  await own.next('ROOM_DELETE')
  await ask(there, ann, 'PUT', `/rooms/${full}/recipients/${ben.id}`)
  await removal
  await ask(there, ann, 'POST', `/rooms/${full}/messages`, { content: 'next' })
  for (const client of [own, ownThere]) {
    await client.next('MESSAGE_CREATE')
    const received = client.events
      .map((frame) => frame.e!)
      .filter((name) => /^ROOM_(DELETE|CREATE)$|^MESSAGE_CREATE$/.test(name))
    expect(received).toEqual(['ROOM_DELETE', 'ROOM_CREATE', 'MESSAGE_CREATE'])
  }
})

test('lists members online at another process first', async () => {
  const { ann, ben, den } = await scene()
  const others = await crowd(2_600)
  await join(den, others)
  const dan = await user()
  await sql`insert into members (house_id, user_id, joined_at)
    values (${den.id}, ${dan.id}, now() + interval '1 hour')`.execute(db)
  await logIn(there, dan)
  await untilNoted(dan)
  const client = await logIn(here, ben)
  const ids = client.events[1]!.d.members.map((one: { id: string }) => one.id)
  expect(ids.length).toBe(2500)
  expect(ids.slice(0, 4)).toEqual([ben.id, ann.id, dan.id, others[0]])
})

test('a deleted account is offline at once at every process', async () => {
  const { ann, ben } = await scene()
  await friends(ann, ben)
  await oneToOne(ann, ben)
  const password_hash = await hashPassword(password, ann)
  await db.updateTable('users').set({ password_hash }).where('id', '=', ann.id).execute()
  const client = await logIn(here, ben)
  await logIn(there, ann)
  // Once it is written, and read by both processes: it would follow the deletion otherwise.
  expect((await client.next('PRESENCE_UPDATE')).d).toMatchObject({ id: ann.id, presence: 'online' })
  await ask(here, ann, 'DELETE', '/users/@me', { password })
  const { user: deleted } = (await client.next('RELATIONSHIP_UPDATE')).d
  expect([deleted.name, deleted.presence]).toEqual(['Deleted user', 'offline'])
  // The other may precede the relationship.
  const presences = () => client.events.filter((frame) => frame.e === 'PRESENCE_UPDATE').map(({ d }) => d)
  await client.until(() => presences().length > 1, 'the presence')
  expect(presences()[1]).toMatchObject({ id: ann.id, presence: 'offline' })
})

test('delivers messages of two processes at three in id order, each once', async () => {
  const { ann, ben, den } = await scene()
  const third = await startProcess(await newBus())
  const clients = [await logIn(here, ann), await logIn(there, ben), await logIn(third, ann, { zlib: true })]
  const ids: string[] = []
  for (let round = 0; round < 30; round += 1) {
    const sent = [here, there, here, there].map((app, place) =>
      ask(app, place % 2 ? ann : ben, 'POST', `/rooms/${den.room_id}/messages`, { content: `${round}` }),
    )
    for (const { id } of await Promise.all(sent)) ids.push(id)
  }
  ids.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  for (const client of clients) {
    const received = () => client.events.filter((frame) => frame.e === 'MESSAGE_CREATE').map(({ d }) => d.id)
    await client.until(() => received().length >= ids.length, 'all messages')
    expect(received()).toEqual(ids)
  }
})
