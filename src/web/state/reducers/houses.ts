import type { Events } from '../../../client/events.ts'
import { indexBy, put, without } from '../records.ts'
import type { House, Member, Reducer, Role, State } from '../state.ts'
import { withUsers } from './people.ts'

/** A house as the gateway shows it, taken apart: it replaces what was known of the house and its rooms. */
export function houseJoin(state: State, d: Events['HOUSE_JOIN']): Partial<State> {
  const { rooms, members, ...house } = d
  const gone = Object.values(state.rooms).filter((room) => room.house_id === house.id)
  const ours = indexBy(rooms, (room) => room.id)
  return {
    ...withUsers(
      state,
      members.map((member) => member.user),
    ),
    houses: put(state.houses, house.id, house),
    houseOrder: state.houseOrder.includes(house.id) ? state.houseOrder : [...state.houseOrder, house.id],
    awaitedHouses: state.awaitedHouses.filter((id) => id !== house.id),
    rooms: { ...without(state.rooms, ...gone.map((room) => room.id)), ...ours },
    members: put(state.members, house.id, { ...state.members[house.id], ...byUser(members) }),
  }
}

function byUser(members: readonly Member[]) {
  return indexBy(members, (member) => member.user_id)
}

/** Everything but this house, its rooms and what was in them. */
function withoutHouse(state: State, houseId: string): Partial<State> {
  const rooms = Object.values(state.rooms).filter((room) => room.house_id === houseId)
  const ids = rooms.map((room) => room.id)
  return {
    houses: without(state.houses, houseId),
    houseOrder: state.houseOrder.filter((id) => id !== houseId),
    members: without(state.members, houseId),
    rooms: without(state.rooms, ...ids),
    timelines: without(state.timelines, ...ids),
    readStates: without(state.readStates, ...ids),
    typing: without(state.typing, ...ids),
  }
}

export const houseLeave: Reducer<'HOUSE_LEAVE'> = (state, { house_id }) => withoutHouse(state, house_id)

export const houseDown: Reducer<'HOUSE_DOWN'> = (state, { house_id }) => withoutHouse(state, house_id)

export function memberUpdate(state: State, member: Member): Partial<State> {
  const { house_id, user_id, user } = member
  if (house_id === null) return {}
  const members = put(state.members[house_id] ?? {}, user_id, member)
  return { ...withUsers(state, [user]), members: put(state.members, house_id, members) }
}

export const memberLeave: Reducer<'HOUSE_MEMBER_LEAVE'> = (state, { house_id, user_id }) => {
  if (house_id === null) return {}
  return { members: put(state.members, house_id, without(state.members[house_id] ?? {}, user_id)) }
}

export const memberExit: Reducer<'HOUSE_MEMBER_EXIT'> = (state, { id }) => ({
  online: without(state.online, id),
})

export const membersChunk: Reducer<'HOUSE_MEMBERS_CHUNK'> = (state, { house_id, members }) => {
  const users = Object.values(members).map((member) => member.user)
  const all = { ...state.members[house_id], ...members }
  return { ...withUsers(state, users), members: put(state.members, house_id, all) }
}

export const entitiesUpdate: Reducer<'HOUSE_ENTITIES_UPDATE'> = (state, { house_id, entities }) => {
  const house = state.houses[house_id]
  return house ? { houses: put(state.houses, house_id, { ...house, entities }) } : {}
}

/** What an answer says of an entity: it came to its position, and its rooms left the others. */
export function entityEdited(state: State, entity: House['entities'][number]): Partial<State> {
  const house = state.houses[entity.house_id]
  if (!house) return {}
  const rooms = new Set(entity.resource_pointers.map(({ resource_id }) => resource_id))
  const others = house.entities
    .filter(({ id }) => id !== entity.id)
    .sort((a, b) => a.position - b.position)
    .map((each) => ({
      ...each,
      resource_pointers: each.resource_pointers.filter(({ resource_id }) => !rooms.has(resource_id)),
    }))
  const entities = others
    .toSpliced(entity.position, 0, entity)
    .map((each, position) => ({ ...each, position }))
  return { houses: put(state.houses, house.id, { ...house, entities }) }
}

export function roleUpdate(state: State, role: Role): Partial<State> {
  return withRoles(state, role.house_id, (roles) => [...roles.filter(({ id }) => id !== role.id), role])
}

export const roleDelete: Reducer<'ROLE_DELETE'> = (state, { id, house_id }) =>
  withRoles(state, house_id, (roles) => roles.filter((role) => role.id !== id))

function withRoles(state: State, houseId: string, change: (roles: Role[]) => Role[]): Partial<State> {
  const house = state.houses[houseId]
  if (!house) return {}
  const roles = change(house.roles).sort((a, b) => b.position - a.position)
  return { houses: put(state.houses, houseId, { ...house, roles }) }
}
