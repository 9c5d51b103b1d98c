import { expect, test } from 'vitest'
import type { HearthEvent } from '../../src/events/events.ts'
import { type Client, expectExact, type Frame, listen, logIn } from '../support/gateway.ts'
import { type Answer, bus, call, type Person, user } from '../support/world.ts'

// PROTOCOL part 9, row by row: every action by its route, and what exactly each of three people then hears.

const app = await listen()
const [withRead, withoutRead] = [176195, 176193]

type Told = { ann?: string[]; ben?: string[]; cat?: string[] }

/** Ann, ben and cat, who know nothing of each other, all connected; ben's client is one of ours. */
async function scene() {
  const people = { ann: await user(), ben: await user(), cat: await user() }
  const clients = {
    ann: await logIn(app, people.ann),
    ben: await logIn(app, people.ben, { extended: true, zlib: true }),
    cat: await logIn(app, people.cat),
  }
  await heardBy(people, clients)
  /** Does something, and holds that just this was told to whom, in this order. */
  async function told(
    who: Person,
    method: Parameters<typeof call>[1],
    path: string,
    body: object | undefined,
    expected: Told,
  ): Promise<Answer['body']['data']> {
    const answer = await call(who, method, path, body)
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    const heard = await heardBy(people, clients)
    expect(heard, `${method} ${path}`).toEqual({ ann: [], ben: [], cat: [], ...expected })
    return answer.body?.data
  }
  return { ...people, clients, told }
}

/** What each has heard since the last time: a witness comes after whatever was on its way. */
async function heardBy<Name extends string>(
  people: Record<Name, Person>,
  clients: Record<Name, Client>,
): Promise<Record<Name, string[]>> {
  const heard = {} as Record<Name, string[]>
  for (const name of Object.keys(people) as Name[]) {
    const before = clients[name].events.length
    await bus.publish([witnessFor(people[name].id)])
    await clients[name].until(() => clients[name].events.slice(before).some(isWitness(people[name])))
    const taken = marks.get(clients[name]) ?? 0
    const fresh = clients[name].events.slice(taken)
    for (const frame of fresh) expectExact(frame)
    heard[name] = fresh.slice(0, -1).map((frame) => frame.e!)
    marks.set(clients[name], clients[name].events.length)
  }
  return heard
}
const marks = new WeakMap<Client, number>()

function isWitness(person: Person) {
  return (frame: Frame) => frame.e === 'RELATIONSHIP_UPDATE' && frame.d.user_id === person.id
}

/** What no action brings about: a relation to oneself. */
function witnessFor(user_id: string): HearthEvent {
  const last_updated_at = new Date().toISOString()
  return { type: 'relationship_updated', user_id, other_id: user_id, relationship_type: 0, last_updated_at }
}

function toAll(...names: string[]): Told {
  return { ann: names, ben: names, cat: names }
}

test('every change of a relation tells those whose side changed, in order (9.1)', async () => {
  const { ann, ben, told } = await scene()
  const [both, justAnn] = [
    { ann: ['RELATIONSHIP_UPDATE'], ben: ['RELATIONSHIP_UPDATE'] },
    { ann: ['RELATIONSHIP_UPDATE'] },
  ]
  const requests = '/relationships/@me/friend-requests'
  await told(ann, 'POST', requests, { user_id: ben.id }, both)
  await told(ann, 'POST', requests, { user_id: ben.id }, {})
  await told(ann, 'DELETE', `${requests}/${ben.id}`, undefined, both)
  await told(ann, 'POST', requests, { user_id: ben.id }, both)
  await told(ben, 'POST', requests, { user_id: ann.id }, both)
  await told(ann, 'POST', requests, { user_id: ben.id }, {})
  await told(ann, 'DELETE', `/relationships/@me/friends/${ben.id}`, undefined, both)
  await told(ben, 'POST', requests, { user_id: ann.id }, both)
  await told(ann, 'PUT', `/relationships/@me/blocked/${ben.id}`, undefined, both)
  await told(ann, 'PUT', `/relationships/@me/blocked/${ben.id}`, undefined, {})
  await told(ann, 'PUT', `/relationships/@me/restricted/${ben.id}`, undefined, justAnn)
  await told(ann, 'DELETE', `/relationships/@me/blocked/${ben.id}`, undefined, {})
  await told(ann, 'DELETE', `/relationships/@me/restricted/${ben.id}`, undefined, justAnn)
})

test('every change of a private room tells the people in it, in order (9.2)', async () => {
  const { ann, ben, cat, clients, told } = await scene()
  const both = (name: string) => ({ ann: [name], ben: [name] })
  const pair = await told(ann, 'POST', '/users/@me/rooms', { recipient: ben.id }, both('ROOM_CREATE'))
  await told(ben, 'POST', '/users/@me/rooms', { recipient: ann.id }, {})
  await told(ann, 'POST', `/rooms/${pair.id}/typing`, undefined, both('TYPING_START'))
  const typing = clients.ben.events.at(-2)!.d
  expect(typing).toMatchObject({ house_id: null, author_id: ann.id, recipient_ids: [ben.id] })
  const said = await told(ann, 'POST', `/rooms/${pair.id}/messages`, { content: 'a' }, both('MESSAGE_CREATE'))
  await told(ben, 'POST', `/rooms/${pair.id}/messages/${said.id}/ack`, undefined, {
    ben: ['READ_STATE_UPDATE'],
  })
  await told(ann, 'PATCH', '/users/@me', { bio: 'new' }, both('USER_UPDATE'))
  const group = await told(ann, 'POST', '/users/@me/rooms', { recipients: [ben.id] }, both('ROOM_CREATE'))
  const path = `/rooms/${group.id}`
  await told(ben, 'PUT', `${path}/recipients/${cat.id}`, undefined, {
    ...both('ROOM_UPDATE'),
    cat: ['ROOM_CREATE'],
  })
  await told(ben, 'PUT', `${path}/recipients/${cat.id}`, undefined, {})
  await told(cat, 'PATCH', path, { name: 'trio' }, toAll('ROOM_UPDATE'))
  await told(cat, 'POST', `${path}/typing`, undefined, toAll('TYPING_START'))
  expect([...clients.ann.events.at(-2)!.d.recipient_ids].sort()).toEqual([ann.id, ben.id, cat.id].sort())
  await told(ann, 'DELETE', `/users/@me/rooms/${group.id}`, undefined, {
    ann: ['ROOM_DELETE'],
    ben: ['ROOM_UPDATE'],
    cat: ['ROOM_UPDATE'],
  })
  expect(clients.cat.events.at(-2)!.d.owner_id).toBe(ben.id)
  await told(ben, 'DELETE', `${path}/recipients/${cat.id}`, undefined, {
    ben: ['ROOM_UPDATE'],
    cat: ['ROOM_DELETE'],
  })
  expect(clients.ben.events.at(-2)!.d.recipients).toMatchObject([{ id: ben.id }])
  await told(ben, 'DELETE', `/users/@me/rooms/${group.id}`, undefined, { ben: ['ROOM_DELETE'] })
})

test('every change of a house, its rooms and entities tells those who see it, in order (9.3)', async () => {
  const { ann, ben, cat, told } = await scene()
  const house = await told(ann, 'POST', '/houses', { name: 'H' }, { ann: ['HOUSE_JOIN'] })
  const path = `/houses/${house.id}`
  const { code } = await told(ann, 'POST', `${path}/invites`, {}, {})
  await told(ben, 'POST', `/invites/${code}`, undefined, { ann: ['HOUSE_MEMBER_JOIN'], ben: ['HOUSE_JOIN'] })
  await told(ben, 'POST', `/invites/${code}`, undefined, {})
  const others = { ann: ['HOUSE_MEMBER_JOIN'], ben: ['HOUSE_MEMBER_JOIN'] }
  await told(cat, 'POST', `/invites/${code}`, undefined, { ...others, cat: ['HOUSE_JOIN'] })
  await told(ann, 'PATCH', path, { name: 'H' }, {})
  await told(ann, 'PATCH', path, { name: 'I' }, toAll('HOUSE_UPDATE'))
  const room = await told(
    ann,
    'POST',
    `${path}/rooms`,
    { name: 'r' },
    toAll('ROOM_CREATE', 'HOUSE_ENTITIES_UPDATE'),
  )
  await told(ann, 'PATCH', `/rooms/${room.id}`, { description: 'd', position: 3 }, toAll('ROOM_UPDATE'))
  await told(ann, 'PATCH', `/rooms/${room.id}`, { description: 'd' }, {})
  const made = await told(ann, 'POST', `${path}/entities`, { name: 'E' }, toAll('HOUSE_ENTITIES_UPDATE'))
  const entity = made.entities.at(-1).id
  await told(ann, 'PATCH', `/rooms/${room.id}`, { parent_entity_id: entity }, toAll('HOUSE_ENTITIES_UPDATE'))
  await told(ann, 'PATCH', `${path}/entities/${entity}`, { name: 'F' }, toAll('HOUSE_ENTITIES_UPDATE'))
  await told(ann, 'DELETE', `/rooms/${room.id}`, undefined, toAll('ROOM_DELETE', 'HOUSE_ENTITIES_UPDATE'))
  await told(ann, 'DELETE', `${path}/entities/${entity}`, undefined, toAll('HOUSE_ENTITIES_UPDATE'))
  await told(ann, 'PATCH', `${path}/owner`, { user_id: ben.id }, toAll('HOUSE_UPDATE'))
  const gone = ['HOUSE_MEMBER_LEAVE']
  await told(ben, 'DELETE', `${path}/members/${cat.id}`, undefined, {
    ann: gone,
    ben: gone,
    cat: ['HOUSE_LEAVE'],
  })
  await told(ben, 'DELETE', `/users/@me/houses/${house.id}`, undefined, {
    ann: ['HOUSE_MEMBER_LEAVE', 'HOUSE_UPDATE'],
    ben: ['HOUSE_LEAVE'],
  })
  await told(ann, 'PUT', `${path}/bans/${ben.id}`, {}, {})
  await told(cat, 'POST', `/invites/${code}`, undefined, { ann: ['HOUSE_MEMBER_JOIN'], cat: ['HOUSE_JOIN'] })
  await told(ann, 'PUT', `${path}/bans/${cat.id}`, {}, { ann: gone, cat: ['HOUSE_LEAVE'] })
  await told(ann, 'DELETE', `/users/@me/houses/${house.id}`, undefined, { ann: ['HOUSE_LEAVE'] })
})

test('every change of roles, permissions, messages and accounts tells those who see it, in order (9.4)', async () => {
  const { ann, ben, cat, clients, told } = await scene()
  const house = (await call(ann, 'POST', '/houses', { name: 'H' })).body.data
  const path = `/houses/${house.id}`
  const { code } = (await call(ann, 'POST', `${path}/invites`, {})).body.data
  for (const joiner of [ben, cat]) await call(joiner, 'POST', `/invites/${code}`)
  await heardBy({ ann, ben, cat }, clients)
  const [gained, lost] = ['ROOM_CREATE', 'ROOM_DELETE'].map((name) => [name, 'HOUSE_ENTITIES_UPDATE'])
  const benAlso = (name: string, more: string[]) => ({ ...toAll(name), ben: [name, ...more] })

  const role = await told(
    ann,
    'POST',
    `${path}/roles`,
    { name: 'r', position: 1, deny: 2 },
    toAll('ROLE_CREATE'),
  )
  const given = `${path}/members/${ben.id}/roles/${role.id}`
  await told(ann, 'PUT', given, undefined, benAlso('HOUSE_MEMBER_UPDATE', lost!))
  await told(ann, 'PUT', given, undefined, {})
  await told(ann, 'PATCH', `${path}/roles/${role.id}`, { deny: 0 }, benAlso('ROLE_UPDATE', gained!))
  await told(ann, 'PATCH', `${path}/roles/${role.id}`, { deny: 2 }, benAlso('ROLE_UPDATE', lost!))
  await told(ann, 'DELETE', given, undefined, benAlso('HOUSE_MEMBER_UPDATE', gained!))
  await told(ann, 'PUT', given, undefined, benAlso('HOUSE_MEMBER_UPDATE', lost!))
  await told(ann, 'DELETE', `${path}/roles/${role.id}`, undefined, benAlso('ROLE_DELETE', gained!))

  const room = (await call(ann, 'POST', `${path}/rooms`, { name: 'r' })).body.data.id
  await heardBy({ ann, ben, cat }, clients)
  const override = `/rooms/${room}/overrides/${ben.id}`
  const update = ['ROOM_UPDATE']
  await told(ann, 'PUT', override, { type: 1, allow: 0, deny: 2 }, { ann: update, ben: lost!, cat: update })
  await told(ann, 'PUT', override, { type: 1, allow: 0, deny: 2 }, {})
  await told(
    ann,
    'POST',
    `/rooms/${room}/messages`,
    { content: 'x' },
    { ann: ['MESSAGE_CREATE'], cat: ['MESSAGE_CREATE'] },
  )
  await told(ann, 'DELETE', override, undefined, { ann: update, ben: gained!, cat: update })
  const defaults = `/rooms/${room}/default-permissions`
  await told(ann, 'PATCH', defaults, { allow: 0, deny: 2 }, { ann: update, ben: lost!, cat: lost! })
  await told(ann, 'PATCH', `/rooms/${room}`, { name: 'hidden' }, { ann: update })
  await told(ann, 'DELETE', `/rooms/${room}`, undefined, {
    ann: lost!,
    ben: ['HOUSE_ENTITIES_UPDATE'],
    cat: ['HOUSE_ENTITIES_UPDATE'],
  })
  const shut = ['HOUSE_UPDATE', ...lost!]
  const opened = ['HOUSE_UPDATE', ...gained!]
  const edit = (default_permissions: number) => ({ name: 'H', default_permissions })
  await told(ann, 'PATCH', path, edit(withoutRead), { ann: ['HOUSE_UPDATE'], ben: shut, cat: shut })
  await told(ann, 'PATCH', path, edit(withRead), { ann: ['HOUSE_UPDATE'], ben: opened, cat: opened })

  const messages = `/rooms/${house.rooms[0].id}/messages`
  const said = await told(ben, 'POST', messages, { content: 'a', nonce: 'n' }, toAll('MESSAGE_CREATE'))
  expect(clients.cat.events.at(-2)!.d).toEqual(said)
  await told(ben, 'POST', messages, { content: 'b', nonce: 'n' }, {})
  const edited = await told(ben, 'PATCH', `${messages}/${said.id}`, { content: 'b' }, toAll('MESSAGE_UPDATE'))
  expect(clients.cat.events.at(-2)!.d).toEqual(edited)
  await told(ben, 'POST', `${messages}/${said.id}`, { content: 'c' }, toAll('MESSAGE_UPDATE'))
  const more = await told(ann, 'POST', messages, { content: 'd' }, toAll('MESSAGE_CREATE'))
  await told(ben, 'POST', `${messages}/${more.id}/ack`, undefined, { ben: ['READ_STATE_UPDATE'] })
  await told(ben, 'POST', `${messages}/${more.id}/ack`, undefined, {})
  await told(ben, 'POST', `/rooms/${house.rooms[0].id}/typing`, undefined, toAll('TYPING_START'))
  expect(Object.keys(clients.ann.events.at(-2)!.d)).toEqual(['timestamp', 'room_id', 'house_id', 'author_id'])
  await told(ann, 'DELETE', `${messages}/${said.id}`, undefined, toAll('MESSAGE_DELETE'))

  await told(ben, 'PATCH', '/users/@me/settings', { onboarded: true }, { ben: ['SETTINGS_UPDATE'] })
  await told(
    ben,
    'PUT',
    `/users/@me/settings/room_overrides/${house.rooms[0].id}`,
    { notification_preference: 1 },
    { ben: ['SETTINGS_UPDATE'] },
  )
  const changed = benAlso('HOUSE_MEMBER_UPDATE', [])
  await told(
    ben,
    'PATCH',
    '/users/@me',
    { bio: 'x' },
    { ...changed, ben: ['USER_UPDATE', 'HOUSE_MEMBER_UPDATE'] },
  )
  await told(ben, 'PATCH', '/users/@me', { bio: 'x' }, {})
  await told(ann, 'DELETE', path, undefined, toAll('HOUSE_DOWN'))
})
