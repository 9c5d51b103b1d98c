import { type Place, parsePlace, pathOf } from '../places.ts'
import { roomsByCategory } from '../rooms/rooms.ts'
import { store } from '../state/store.ts'
import { houseOrder } from './house-order.ts'

const storageKey = 'hearth.last-rooms'

type LastRooms = { place?: string; byHouse?: Record<string, string> }

function read(): LastRooms {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as LastRooms
  } catch {
    return {}
  }
}

/** Keeps where one is, for the next visit. */
export function rememberRoom(at: Place): void {
  const { byHouse = {} } = read()
  if (at.name === 'room') byHouse[at.houseId] = at.roomId
  localStorage.setItem(storageKey, JSON.stringify({ place: pathOf(at), byHouse }))
}

/**
 * The room that a place without one stands for: the last of the house, else its first; at home the last of all. Houses
 * come one by one after a login: a place in one that is still to come stands for itself.
 */
export function startPlace(at: Place): Place {
  if (at.name === 'house') return roomOf(at.houseId) ?? at
  const isHome = at.name === 'home' || at.name === 'logIn' || at.name === 'createAccount'
  if (!isHome) return at
  const { place } = read()
  const last = place === undefined ? undefined : parsePlace(place)
  if (last && 'roomId' in last && (last.roomId in store.rooms.value || isComing(last))) return last
  const [first] = houseOrder.value
  if (first === undefined) return { name: 'home' }
  return roomOf(first) ?? { name: 'house', houseId: first }
}

/** Whether a place may still come with its house after the login. */
export function isComing(at: Place): boolean {
  if (!('houseId' in at) || !store.awaitedHouses.value.includes(at.houseId)) return false
  return 'roomId' in at ? !store.rooms.value[at.roomId] : !store.houses.value[at.houseId]
}

function roomOf(houseId: string): Place | undefined {
  const house = store.houses.value[houseId]
  if (!house) return undefined
  const rooms = roomsByCategory(house).flatMap((category) => category.rooms)
  const last = read().byHouse?.[houseId]
  const room = rooms.find(({ id }) => id === last) ?? rooms[0]
  return room && { name: 'room', houseId, roomId: room.id }
}
