import { expect, test } from 'vitest'
import type { HearthEvent } from '../../../src/events/events.ts'
import { type Client, expectExact, type Frame, listen, logIn } from '../../support/gateway.ts'
import { type Answer, bus, call, type Person, user } from '../../support/world.ts'

// Every action by its route, and exactly what each of three people then receives (docs/gateway.md#events).

const app = await listen()
const [withRead, withoutRead] = [176195, 176193]

type Received = { ann?: string[]; ben?: string[]; cat?: string[] }

/** Ann, ben and cat, who are no contacts, all connected; ben's client is extended. */
async function scene() {
  const people = { ann: await user(), ben: await user(), cat: await user() }
  const clients = {
    ann: await logIn(app, people.ann),
    ben: await logIn(app, people.ben, { extended: true, zlib: true }),
    cat: await logIn(app, people.cat),
  }
  await receivedBy(people, clients)
  /** Sends a request, and expects exactly these events, in order. */
  async function expectEvents(
    who: Person,
    method: Parameters<typeof call>[1],
    path: string,
    body: object | undefined,
    expected: Received,
  ): Promise<Answer['body']['data']> {
    const answer = await call(who, method, path, body)
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    const received = await receivedBy(people, clients)
    expect(received, `${method} ${path}`).toEqual({ ann: [], ben: [], cat: [], ...expected })
    return answer.body?.data
  }
  return { ...people, clients, expectEvents }
}

/** What each has received since the last call: a marker follows whatever was being sent. */
async function receivedBy<Name extends string>(
  people: Record<Name, Person>,
  clients: Record<Name, Client>,
): Promise<Record<Name, string[]>> {
  const received = {} as Record<Name, string[]>
  for (const name of Object.keys(people) as Name[]) {
    const before = clients[name].events.length
    await bus.publish([markerFor(people[name].id)])
    await clients[name].until(() => clients[name].events.slice(before).some(isMarker(people[name])))
    const taken = marks.get(clients[name]) ?? 0
    const fresh = clients[name].events.slice(taken)
    for (const frame of fresh) expectExact(frame)
    received[name] = fresh.slice(0, -1).map((frame) => frame.e!)
    marks.set(clients[name], clients[name].events.length)
  }
  return received
}
const marks = new WeakMap<Client, number>()

function isMarker(person: Person) {
  return (frame: Frame) => frame.e === 'RELATIONSHIP_UPDATE' && frame.d.user_id === person.id
}

/** A relationship to oneself, which no action makes. */
function markerFor(user_id: string): HearthEvent {
  const last_updated_at = new Date().toISOString()
  return { type: 'relationship_updated', user_id, other_id: user_id, relationship_type: 0, last_updated_at }
}

function toAll(...names: string[]): Received {
  return { ann: names, ben: names, cat: names }
}

test('each change of a relationship sends its events in order', async () => {
  const { ann, ben, expectEvents } = await scene()
  const [both, justAnn] = [
    { ann: ['RELATIONSHIP_UPDATE'], ben: ['RELATIONSHIP_UPDATE'] },
    { ann: ['RELATIONSHIP_UPDATE'] },
  ]
  const requests = '/relationships/@me/friend-requests'
  await expectEvents(ann, 'POST', requests, { user_id: ben.id }, both)
  await expectEvents(ann, 'POST', requests, { user_id: ben.id }, {})
  await expectEvents(ann, 'DELETE', `${requests}/${ben.id}`, undefined, both)
  await expectEvents(ann, 'POST', requests, { user_id: ben.id }, both)
  await expectEvents(ben, 'POST', requests, { user_id: ann.id }, both)
  await expectEvents(ann, 'POST', requests, { user_id: ben.id }, {})
  await expectEvents(ann, 'DELETE', `/relationships/@me/friends/${ben.id}`, undefined, both)
  await expectEvents(ben, 'POST', requests, { user_id: ann.id }, both)
  await expectEvents(ann, 'PUT', `/relationships/@me/blocked/${ben.id}`, undefined, both)
  await expectEvents(ann, 'PUT', `/relationships/@me/blocked/${ben.id}`, undefined, {})
  await expectEvents(ann, 'PUT', `/relationships/@me/restricted/${ben.id}`, undefined, justAnn)
  await expectEvents(ann, 'DELETE', `/relationships/@me/blocked/${ben.id}`, undefined, {})
  await expectEvents(ann, 'DELETE', `/relationships/@me/restricted/${ben.id}`, undefined, justAnn)
})

test('each change of a private room sends its events in order', async () => {
  const { ann, ben, cat, clients, expectEvents } = await scene()
  const both = (name: string) => ({ ann: [name], ben: [name] })
  const pair = await expectEvents(ann, 'POST', '/users/@me/rooms', { recipient: ben.id }, both('ROOM_CREATE'))
  await expectEvents(ben, 'POST', '/users/@me/rooms', { recipient: ann.id }, {})
  await expectEvents(ann, 'POST', `/rooms/${pair.id}/typing`, undefined, both('TYPING_START'))
  const typing = clients.ben.events.at(-2)!.d
  expect(typing).toMatchObject({ house_id: null, author_id: ann.id, recipient_ids: [ben.id] })
  const said = await expectEvents(
    ann,
    'POST',
    `/rooms/${pair.id}/messages`,
    { content: 'a' },
    both('MESSAGE_CREATE'),
  )
  await expectEvents(ben, 'POST', `/rooms/${pair.id}/messages/${said.id}/ack`, undefined, {
    ben: ['READ_STATE_UPDATE'],
  })
  await expectEvents(ann, 'PATCH', '/users/@me', { bio: 'new' }, both('USER_UPDATE'))
  const group = await expectEvents(
    ann,
    'POST',
    '/users/@me/rooms',
    { recipients: [ben.id] },
    both('ROOM_CREATE'),
  )
  const path = `/rooms/${group.id}`
  await expectEvents(ben, 'PUT', `${path}/recipients/${cat.id}`, undefined, {
    ...both('ROOM_UPDATE'),
    cat: ['ROOM_CREATE'],
  })
  await expectEvents(ben, 'PUT', `${path}/recipients/${cat.id}`, undefined, {})
  await expectEvents(cat, 'PATCH', path, { name: 'trio' }, toAll('ROOM_UPDATE'))
  await expectEvents(cat, 'POST', `${path}/typing`, undefined, toAll('TYPING_START'))
  expect([...clients.ann.events.at(-2)!.d.recipient_ids].sort()).toEqual([ann.id, ben.id, cat.id].sort())
  await expectEvents(ann, 'DELETE', `/users/@me/rooms/${group.id}`, undefined, {
    ann: ['ROOM_DELETE'],
    ben: ['ROOM_UPDATE'],
    cat: ['ROOM_UPDATE'],
  })
  expect(clients.cat.events.at(-2)!.d.owner_id).toBe(ben.id)
  await expectEvents(ben, 'DELETE', `${path}/recipients/${cat.id}`, undefined, {
    ben: ['ROOM_UPDATE'],
    cat: ['ROOM_DELETE'],
  })
  expect(clients.ben.events.at(-2)!.d.recipients).toMatchObject([{ id: ben.id }])
  await expectEvents(ben, 'DELETE', `/users/@me/rooms/${group.id}`, undefined, { ben: ['ROOM_DELETE'] })
})

test('each change of a house, its rooms and entities sends its events in order', async () => {
  const { ann, ben, cat, expectEvents } = await scene()
  const house = await expectEvents(ann, 'POST', '/houses', { name: 'H' }, { ann: ['HOUSE_JOIN'] })
  const path = `/houses/${house.id}`
  const { code } = await expectEvents(ann, 'POST', `${path}/invites`, {}, {})
  await expectEvents(ben, 'POST', `/invites/${code}`, undefined, {
    ann: ['HOUSE_MEMBER_JOIN'],
    ben: ['HOUSE_JOIN'],
  })
  await expectEvents(ben, 'POST', `/invites/${code}`, undefined, {})
  const others = { ann: ['HOUSE_MEMBER_JOIN'], ben: ['HOUSE_MEMBER_JOIN'] }
  await expectEvents(cat, 'POST', `/invites/${code}`, undefined, { ...others, cat: ['HOUSE_JOIN'] })
  await expectEvents(ann, 'PATCH', path, { name: 'H' }, {})
  await expectEvents(ann, 'PATCH', path, { name: 'I' }, toAll('HOUSE_UPDATE'))
  const room = await expectEvents(
    ann,
    'POST',
    `${path}/rooms`,
    { name: 'r' },
    toAll('ROOM_CREATE', 'HOUSE_ENTITIES_UPDATE'),
  )
  await expectEvents(
    ann,
    'PATCH',
    `/rooms/${room.id}`,
    { description: 'd', position: 3 },
    toAll('ROOM_UPDATE'),
  )
  await expectEvents(ann, 'PATCH', `/rooms/${room.id}`, { description: 'd' }, {})
  const made = await expectEvents(
    ann,
    'POST',
    `${path}/entities`,
    { name: 'E' },
    toAll('HOUSE_ENTITIES_UPDATE'),
  )
  const entity = made.entities.at(-1).id
  await expectEvents(
    ann,
    'PATCH',
    `/rooms/${room.id}`,
    { parent_entity_id: entity },
    toAll('HOUSE_ENTITIES_UPDATE'),
  )
  await expectEvents(
    ann,
    'PATCH',
    `${path}/entities/${entity}`,
    { name: 'F' },
    toAll('HOUSE_ENTITIES_UPDATE'),
  )
  await expectEvents(
    ann,
    'DELETE',
    `/rooms/${room.id}`,
    undefined,
    toAll('ROOM_DELETE', 'HOUSE_ENTITIES_UPDATE'),
  )
  await expectEvents(ann, 'DELETE', `${path}/entities/${entity}`, undefined, toAll('HOUSE_ENTITIES_UPDATE'))
  await expectEvents(ann, 'PATCH', `${path}/owner`, { user_id: ben.id }, toAll('HOUSE_UPDATE'))
  const gone = ['HOUSE_MEMBER_LEAVE']
  await expectEvents(ben, 'DELETE', `${path}/members/${cat.id}`, undefined, {
    ann: gone,
    ben: gone,
    cat: ['HOUSE_LEAVE'],
  })
  await expectEvents(ben, 'DELETE', `/users/@me/houses/${house.id}`, undefined, {
    ann: ['HOUSE_MEMBER_LEAVE', 'HOUSE_UPDATE'],
    ben: ['HOUSE_LEAVE'],
  })
  await expectEvents(ann, 'PUT', `${path}/bans/${ben.id}`, {}, {})
  await expectEvents(cat, 'POST', `/invites/${code}`, undefined, {
    ann: ['HOUSE_MEMBER_JOIN'],
    cat: ['HOUSE_JOIN'],
  })
  await expectEvents(ann, 'PUT', `${path}/bans/${cat.id}`, {}, { ann: gone, cat: ['HOUSE_LEAVE'] })
  await expectEvents(ann, 'DELETE', `/users/@me/houses/${house.id}`, undefined, { ann: ['HOUSE_LEAVE'] })
})

test('each change of roles, permissions, messages and accounts sends its events in order', async () => {
  const { ann, ben, cat, clients, expectEvents } = await scene()
  const house = (await call(ann, 'POST', '/houses', { name: 'H' })).body.data
  const path = `/houses/${house.id}`
  const { code } = (await call(ann, 'POST', `${path}/invites`, {})).body.data
  for (const joiner of [ben, cat]) await call(joiner, 'POST', `/invites/${code}`)
  await receivedBy({ ann, ben, cat }, clients)
  const [gained, lost] = ['ROOM_CREATE', 'ROOM_DELETE'].map((name) => [name, 'HOUSE_ENTITIES_UPDATE'])
  const benAlso = (name: string, more: string[]) => ({ ...toAll(name), ben: [name, ...more] })

  const role = await expectEvents(
    ann,
    'POST',
    `${path}/roles`,
    { name: 'r', position: 1, deny: 2 },
    toAll('ROLE_CREATE'),
  )
  const given = `${path}/members/${ben.id}/roles/${role.id}`
  await expectEvents(ann, 'PUT', given, undefined, benAlso('HOUSE_MEMBER_UPDATE', lost!))
  await expectEvents(ann, 'PUT', given, undefined, {})
  await expectEvents(ann, 'PATCH', `${path}/roles/${role.id}`, { deny: 0 }, benAlso('ROLE_UPDATE', gained!))
  await expectEvents(ann, 'PATCH', `${path}/roles/${role.id}`, { deny: 2 }, benAlso('ROLE_UPDATE', lost!))
  await expectEvents(ann, 'DELETE', given, undefined, benAlso('HOUSE_MEMBER_UPDATE', gained!))
  await expectEvents(ann, 'PUT', given, undefined, benAlso('HOUSE_MEMBER_UPDATE', lost!))
  await expectEvents(ann, 'DELETE', `${path}/roles/${role.id}`, undefined, benAlso('ROLE_DELETE', gained!))

  const room = (await call(ann, 'POST', `${path}/rooms`, { name: 'r' })).body.data.id
  await receivedBy({ ann, ben, cat }, clients)
  const override = `/rooms/${room}/overrides/${ben.id}`
  const update = ['ROOM_UPDATE']
  await expectEvents(
    ann,
    'PUT',
    override,
    { type: 1, allow: 0, deny: 2 },
    { ann: update, ben: lost!, cat: update },
  )
  await expectEvents(ann, 'PUT', override, { type: 1, allow: 0, deny: 2 }, {})
  await expectEvents(
    ann,
    'POST',
    `/rooms/${room}/messages`,
    { content: 'x' },
    { ann: ['MESSAGE_CREATE'], cat: ['MESSAGE_CREATE'] },
  )
  await expectEvents(ann, 'DELETE', override, undefined, { ann: update, ben: gained!, cat: update })
  const defaults = `/rooms/${room}/default-permissions`
  await expectEvents(ann, 'PATCH', defaults, { allow: 0, deny: 2 }, { ann: update, ben: lost!, cat: lost! })
  await expectEvents(ann, 'PATCH', `/rooms/${room}`, { name: 'hidden' }, { ann: update })
  await expectEvents(ann, 'DELETE', `/rooms/${room}`, undefined, {
    ann: lost!,
    ben: ['HOUSE_ENTITIES_UPDATE'],
    cat: ['HOUSE_ENTITIES_UPDATE'],
  })
  const shut = ['HOUSE_UPDATE', ...lost!]
  const opened = ['HOUSE_UPDATE', ...gained!]
  const edit = (default_permissions: number) => ({ name: 'H', default_permissions })
  await expectEvents(ann, 'PATCH', path, edit(withoutRead), { ann: ['HOUSE_UPDATE'], ben: shut, cat: shut })
  await expectEvents(ann, 'PATCH', path, edit(withRead), { ann: ['HOUSE_UPDATE'], ben: opened, cat: opened })

  const messages = `/rooms/${house.rooms[0].id}/messages`
  const said = await expectEvents(
    ben,
    'POST',
    messages,
    { content: 'a', nonce: 'n' },
    toAll('MESSAGE_CREATE'),
  )
  expect(clients.cat.events.at(-2)!.d).toEqual(said)
  await expectEvents(ben, 'POST', messages, { content: 'b', nonce: 'n' }, {})
  const edited = await expectEvents(
    ben,
    'PATCH',
    `${messages}/${said.id}`,
    { content: 'b' },
    toAll('MESSAGE_UPDATE'),
  )
  expect(clients.cat.events.at(-2)!.d).toEqual(edited)
  await expectEvents(ben, 'POST', `${messages}/${said.id}`, { content: 'c' }, toAll('MESSAGE_UPDATE'))
  const more = await expectEvents(ann, 'POST', messages, { content: 'd' }, toAll('MESSAGE_CREATE'))
  await expectEvents(ben, 'POST', `${messages}/${more.id}/ack`, undefined, { ben: ['READ_STATE_UPDATE'] })
  await expectEvents(ben, 'POST', `${messages}/${more.id}/ack`, undefined, {})
  await expectEvents(ben, 'POST', `/rooms/${house.rooms[0].id}/typing`, undefined, toAll('TYPING_START'))
  expect(Object.keys(clients.ann.events.at(-2)!.d)).toEqual(['timestamp', 'room_id', 'house_id', 'author_id'])
  await expectEvents(ann, 'DELETE', `${messages}/${said.id}`, undefined, toAll('MESSAGE_DELETE'))

  await expectEvents(ben, 'PATCH', '/users/@me/settings', { onboarded: true }, { ben: ['SETTINGS_UPDATE'] })
  await expectEvents(
    ben,
    'PUT',
    `/users/@me/settings/room_overrides/${house.rooms[0].id}`,
    { notification_preference: 1 },
    { ben: ['SETTINGS_UPDATE'] },
  )
  const changed = benAlso('HOUSE_MEMBER_UPDATE', [])
  await expectEvents(
    ben,
    'PATCH',
    '/users/@me',
    { bio: 'x' },
    { ...changed, ben: ['USER_UPDATE', 'HOUSE_MEMBER_UPDATE'] },
  )
  await expectEvents(ben, 'PATCH', '/users/@me', { bio: 'x' }, {})
  await expectEvents(ann, 'DELETE', path, undefined, toAll('HOUSE_DOWN'))
})
