import type { Place } from '../places.ts'
import { compareIds } from '../state/records.ts'
import type { House, Room, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { listed } from '../texts/isolation.ts'

const group = 2

/** Whether a private room is a group. */
export function isGroup({ type }: Room): boolean {
  return type === group
}

/** Who is in a private room besides oneself. */
export function othersIn({ recipients }: Room): User[] {
  const others = (recipients ?? []).filter(({ id }) => id !== store.me.value?.id)
  return others.map((user) => store.users.value[user.id] ?? user)
}

/** The name of a room, as one sees it: private rooms are called like the others in them. */
export function roomName(room: Room): string {
  return room.name || namesIn(room) || (store.me.value?.name ?? '')
}

/** The names of the others in a private room. */
export function namesIn(room: Room): string {
  return listed(othersIn(room).map(({ name }) => name))
}

/** The place of a room, or of a message in it. */
export function placeOf({ id, house_id }: Pick<Room, 'id' | 'house_id'>, message?: string): Place {
  return house_id === null
    ? { name: 'private', roomId: id, message }
    : { name: 'room', houseId: house_id, roomId: id, message }
}

/** The rooms of a house in their order, by category; those without one come first. */
export function roomsByCategory(house: House): { id: string; name: string | undefined; rooms: Room[] }[] {
  const rooms = Object.values(store.rooms.value).filter((room) => room.house_id === house.id)
  rooms.sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || compareIds(a.id, b.id))
  const byId = new Map(rooms.map((room) => [room.id, room]))
  const categories = [...house.entities]
    .sort((a, b) => a.position - b.position)
    .map(({ id, name, resource_pointers }) => {
      const inIt = resource_pointers.flatMap(({ resource_id }) => byId.get(resource_id) ?? [])
      for (const room of inIt) byId.delete(room.id)
      return { id, name, rooms: inIt }
    })
  return [{ id: 'none', name: undefined, rooms: [...byId.values()] }, ...categories]
}

/** Private rooms, the one with the latest message first. */
export function listPrivateRooms(): Room[] {
  const rooms = Object.values(store.rooms.value).filter((room) => room.house_id === null)
  return rooms.sort((a, b) => compareIds(b.last_message_id ?? b.id, a.last_message_id ?? a.id))
}
