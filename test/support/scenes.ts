import { allPermissions, permission } from '../../src/houses/permissions.ts'
import { newId } from '../../src/ids.ts'
import {
  admin,
  block,
  call,
  type Den,
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
} from './world.ts'

/** What a route is about, which determines its possible callers. */
export type Reach = 'open' | 'own' | 'admin' | 'person' | 'house' | 'room' | 'group' | 'pair'
export type Needs = keyof typeof permission | 'owner'

/** All callers of a route by its reach. `nobody` has no token. */
export const callersOf = {
  open: ['nobody', 'stranger', 'blocked', 'bot'],
  own: ['nobody', 'stranger', 'bot'],
  admin: ['nobody', 'stranger', 'bot', 'admin'],
  person: ['nobody', 'stranger', 'friend', 'blocked', 'blocker', 'restricted', 'bot'],
  house: [
    ...['nobody', 'stranger', 'left', 'banned', 'lacking'],
    ...['member', 'blocked', 'administrator', 'owner'],
  ],
  room: [
    ...['nobody', 'stranger', 'left', 'banned', 'unreading', 'lacking'],
    ...['member', 'blocked', 'administrator', 'owner'],
  ],
  group: ['nobody', 'stranger', 'left', 'member', 'blocked', 'owner'],
  pair: ['nobody', 'stranger', 'member', 'blocked', 'blocker', 'restricted'],
} as const

/**
 * The people before a route and the things in it. `ids` fills the path, `idFor` the `{id}` of who has one of their own.
 * The target is who the others act on; a caller named `blocked` is blocked by target and owner alike.
 */
export type Scene = {
  people: Record<string, Person>
  target: Person
  ids: Record<string, string>
  idFor: Record<string, string>
  den?: Den
}

export function makeScene(reach: Reach, needs?: Needs): Promise<Scene> {
  if (reach === 'house' || reach === 'room') return houseScene(reach, needs)
  if (reach === 'group') return groupScene()
  return reach === 'pair' ? pairScene() : personScene()
}

async function houseScene(reach: 'house' | 'room', needs?: Needs): Promise<Scene> {
  const { target, owner, stranger, left, banned, ...members } = await cast([
    ...callersOf.room.filter((name) => name !== 'nobody'),
    'target',
  ])
  const den = await house({ owner: owner!, members: [target!, left!, banned!, ...Object.values(members)] })
  const { lacking, unreading, administrator, member, blocked } = members
  const given = needs === undefined || needs === 'owner' ? 0 : permission[needs]
  await Promise.all([
    role(den, { ...lackingBits(reach, needs), position: 10, members: [lacking!] }),
    role(den, { ...allBut(permission.READ_MESSAGES), position: 10, members: [unreading!] }),
    role(den, { allow: permission.ADMINISTRATOR, position: 10, members: [administrator!] }),
    role(den, { allow: given, position: 10, members: [member!, blocked!] }),
    block(owner!, blocked!),
    block(target!, blocked!),
  ])
  await call(left!, 'DELETE', `/users/@me/houses/${den.id}`)
  await call(owner!, 'PUT', `/houses/${den.id}/bans/${banned!.id}`, {})
  const room_id = await houseRoom(den)
  const ids = {
    id: reach === 'house' ? den.id : room_id,
    house_id: den.id,
    room_id,
    user_id: target!.id,
    target_id: target!.id,
    entity_id: await emptyEntity(den),
    role_id: await role(den, { position: 1, members: [target!] }),
    message_id: await message(room_id, target!),
    code: await inviteBy(den, owner!),
  }
  const people = { ...members, owner: owner!, stranger: stranger!, left: left!, banned: banned! }
  return { people: people as Record<string, Person>, target: target!, ids, idFor: {}, den }
}

/** Everything but what is needed, be it all there is. */
function lackingBits(reach: 'house' | 'room', needs?: Needs) {
  if (needs === 'owner') return { allow: allPermissions }
  if (needs !== undefined) return allBut(permission[needs])
  return { deny: reach === 'house' ? allPermissions : allPermissions & ~permission.READ_MESSAGES }
}

/** All permission bits except this one and ADMINISTRATOR. */
function allBut(bit: number) {
  return { allow: allPermissions & ~permission.ADMINISTRATOR & ~bit, deny: bit }
}

async function groupScene(): Promise<Scene> {
  const { target, owner, stranger, left, member, blocked } = await cast([
    ...callersOf.group.filter((name) => name !== 'nobody'),
    'target',
  ])
  const room_id = await group(owner!, member!, blocked!, left!, target!)
  await block(owner!, blocked!)
  await block(target!, blocked!)
  await call(left!, 'DELETE', `/users/@me/rooms/${room_id}`)
  const message_id = await message(room_id, target!)
  const ids = { id: room_id, room_id, message_id, user_id: target!.id, target_id: target!.id }
  const people = { stranger: stranger!, left: left!, member: member!, blocked: blocked!, owner: owner! }
  return { people, target: target!, ids, idFor: {} }
}

async function pairScene(): Promise<Scene> {
  const { target, ...people } = await cast([...callersOf.pair.filter((name) => name !== 'nobody'), 'target'])
  const idFor: Record<string, string> = {}
  for (const name of ['member', 'blocked', 'blocker', 'restricted']) {
    idFor[name] = await oneToOne(people[name]!, target!)
  }
  await standAgainst(people, target!)
  const id = idFor.member!
  return { people, target: target!, ids: { id, user_id: target!.id, target_id: target!.id }, idFor }
}

async function personScene(): Promise<Scene> {
  const { target, ...people } = await cast([
    'stranger',
    'friend',
    'blocked',
    'blocker',
    'restricted',
    'target',
  ])
  await friends(people.friend!, target!)
  await standAgainst(people, target!)
  people.bot = await user({ bot_of: target! })
  people.admin = await admin()
  const ids = { id: target!.id, user_id: target!.id, ref: target!.username }
  return { people, target: target!, ids, idFor: {} }
}

async function standAgainst(people: Record<string, Person>, target: Person): Promise<void> {
  await block(target, people.blocked!)
  await block(people.blocker!, target)
  await block(target, people.restricted!, 4)
}

async function cast(names: readonly string[]): Promise<Record<string, Person>> {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await user()] as const)))
}

async function emptyEntity(den: Den): Promise<string> {
  const id = newId()
  await db.insertInto('entities').values({ id, house_id: den.id, name: 'Empty', position: 1 }).execute()
  return id
}

let invites = 0

/** Makes an invite and gives its code. */
export async function inviteBy(den: Den, creator: Person): Promise<string> {
  invites += 1
  const code = `i${String(invites).padStart(5, '0')}`
  await db.insertInto('invites').values({ code, house_id: den.id, creator_id: creator.id }).execute()
  return code
}
