import type { Frame } from './gateway.ts'

// biome-ignore lint/suspicious/noExplicitAny: payloads are what they are; their keys are held elsewhere
type Json = any

/** The state of a client: that of its login, updated by events only. */
export class Model {
  #user: Json
  #settings: Json
  #relationships: Record<string, Json> = {}
  readonly #privateRooms = new Map<string, Json>()
  readonly #houses = new Map<string, Json>()

  constructor(frames: readonly Frame[]) {
    for (const frame of frames) this.apply(frame)
  }

  apply({ e, d: payload }: Frame): void {
    const d = structuredClone(payload)
    const house = this.#houses.get(d?.house_id)
    if (e === 'INIT_STATE') this.#start(d)
    else if (e === 'HOUSE_JOIN' || e === 'HOUSE_UPDATE') this.#houses.set(d.id, indexed(d))
    else if (e === 'HOUSE_LEAVE' || e === 'HOUSE_DOWN') this.#houses.delete(d.house_id)
    else if (e?.startsWith('HOUSE_MEMBER_')) this.#member(e, house, d)
    else if (e === 'HOUSE_ENTITIES_UPDATE') house.entities = byId(d.entities)
    else if (e === 'ROOM_CREATE' || e === 'ROOM_UPDATE') this.#rooms(d.house_id).set(d.id, d)
    else if (e === 'ROOM_DELETE') this.#rooms(d.house_id).delete(d.id)
    else if (e === 'MESSAGE_CREATE') this.#newest(d)
    else if (e === 'ROLE_CREATE' || e === 'ROLE_UPDATE') changeRole(house, d)
    else if (e === 'ROLE_DELETE') forgetRole(house, d.id)
    else if (e === 'USER_UPDATE' || e === 'PRESENCE_UPDATE') this.#profile(d)
    else if (e === 'RELATIONSHIP_UPDATE') this.#relation(d)
    else if (e === 'SETTINGS_UPDATE') this.#settings = d
  }

  /**
   * The whole state as one comparable value, without the presences of those who have blocked this user, which friends
   * and partners are not sent, and without the own presence, which is never sent.
   */
  stateWithout(blockers: ReadonlySet<string>): unknown {
    const hidden = new Set([...blockers, this.#user.id])
    const state = {
      user: this.#user,
      settings: this.#settings,
      relationships: Object.fromEntries(Object.entries(this.#relationships).map(withKnownUser)),
      privateRooms: plain(this.#privateRooms),
      houses: plain(this.#houses),
    }
    return { ...(withoutPresence(state, hidden) as object), online: this.online(hidden) }
  }

  /** The friends and private-room partners that are online, but for these. */
  online(hidden: ReadonlySet<string>): string[] {
    const friends = Object.values(this.#relationships).filter((relation) => relation.type === 3)
    const partners = [...this.#privateRooms.values()].flatMap((room) => room.recipients)
    const online = [...friends.map((relation) => relation.user), ...partners].filter(
      (user) => user.presence === 'online' && !hidden.has(user.id),
    )
    return [...new Set(online.map((user) => user.id))].sort()
  }

  /** The ids in the state, for the next operation. */
  get known(): { houses: string[]; rooms: string[]; privateRooms: string[]; roles: string[] } {
    const houses = [...this.#houses.values()]
    return {
      houses: [...this.#houses.keys()],
      rooms: [...houses.flatMap((house) => [...house.rooms.keys()]), ...this.#privateRooms.keys()],
      privateRooms: [...this.#privateRooms.keys()],
      roles: houses.flatMap((house) => [...house.roles.keys()]),
    }
  }

  #start(d: Json): void {
    this.#user = d.user
    this.#settings = d.settings
    this.#relationships = d.relationships
    for (const room of d.private_rooms) this.#privateRooms.set(room.id, room)
  }

  #rooms(houseId: string | null): Map<string, Json> {
    return houseId === null ? this.#privateRooms : this.#houses.get(houseId).rooms
  }

  #member(e: string, house: Json, d: Json): void {
    if (e === 'HOUSE_MEMBER_LEAVE') {
      house.members.delete(d.user_id)
      forgetOverride(house, d.user_id)
    } else if (e === 'HOUSE_MEMBER_EXIT') {
      // Whoever joins at this moment may go before they were seen to come.
      const member = house.members.get(d.id)
      if (member) member.presence = member.user.presence = 'offline'
    } else if (e !== 'HOUSE_MEMBERS_CHUNK') {
      house.members.set(d.user_id, d)
    }
  }

  #newest({ id, room_id, house_id }: Json): void {
    const room = this.#rooms(house_id).get(room_id)
    if (BigInt(id) > BigInt(room.last_message_id ?? 0)) room.last_message_id = id
  }

  #profile(user: Json): void {
    if (user.id === this.#user.id) this.#user = user
    const relation = this.#relationships[user.id]
    if (relation) relation.user = user
    for (const room of this.#privateRooms.values()) {
      room.recipients = room.recipients.map((one: Json) =>
        one.id === user.id ? { ...user, email_verified: false } : one,
      )
    }
  }

  #relation({ user_id, user, type, last_updated_at }: Json): void {
    if (type === 0) delete this.#relationships[user_id]
    else this.#relationships[user_id] = { user_id, user, type, last_updated_at }
  }
}

/** USER_UPDATE goes to friends and private-room partners: clients miss some changes of other relations. */
function withKnownUser([id, relation]: [string, Json]): [string, Json] {
  return [id, relation.type === 3 ? relation : { ...relation, user: relation.user.id }]
}

function indexed(house: Json): Json {
  const { rooms, members, entities, roles, ...rest } = house
  return { ...rest, rooms: byId(rooms), members: byId(members), entities: byId(entities), roles: byId(roles) }
}

function byId(list: Json[]): Map<string, Json> {
  return new Map(list.map((one) => [one.id, one]))
}

/** Members show their roles as they are now, highest first, without further events. */
function changeRole(house: Json, role: Json): void {
  house.roles.set(role.id, role)
  for (const member of house.members.values()) {
    member.roles = member.roles.map((one: Json) => (one.id === role.id ? role : one)).sort(byRank)
  }
}

function byRank(one: Json, other: Json): number {
  return other.position - one.position || (BigInt(one.id) < BigInt(other.id) ? -1 : 1)
}

/** A deleted role leaves all members and overrides without further events. */
function forgetRole(house: Json, id: string): void {
  house.roles.delete(id)
  for (const member of house.members.values())
    member.roles = member.roles.filter((one: Json) => one.id !== id)
  forgetOverride(house, id)
}

function forgetOverride(house: Json, id: string): void {
  for (const room of house.rooms.values()) {
    if (!room.permission_overrides) continue
    delete room.permission_overrides[id]
    if (Object.keys(room.permission_overrides).length === 0) room.permission_overrides = null
  }
}

/** The same, without the presence of these users and of their members. */
function withoutPresence(value: Json, hidden: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutPresence(item, hidden))
  if (typeof value !== 'object' || value === null) return value
  const isHidden = 'presence' in value && hidden.has(value.user_id ?? value.id)
  const entries = Object.entries(value).filter(([key]) => !isHidden || key !== 'presence')
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutPresence(item, hidden)]))
}

function plain(value: unknown): unknown {
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => [key, plain(item)] as const)
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
  }
  return value
}
