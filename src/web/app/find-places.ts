import { houseOrder } from '../houses/house-order.ts'
import type { Place } from '../places.ts'
import { listPrivateRooms, placeOf, roomName, roomsByCategory } from '../rooms/rooms.ts'
import { isUnread } from '../rooms/unread.ts'
import { bestMatches } from '../shell/best-matches.ts'
import type { Room } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'

/** Where one can go, as it is listed. */
export type Target = { key: string; name: string; where: string; place: Place }

const most = 30

/** Where one can go by these letters. */
export function findPlaces(typed: string): Target[] {
  return bestMatches(allTargets(), ({ name }) => [name], typed.trim(), most)
}

/** What is unread comes first, as far as the letters leave it open. */
function allTargets(): Target[] {
  const rooms = allRooms()
  const unread = rooms.filter(isUnread)
  const rest = rooms.filter((room) => !isUnread(room))
  const pages: Target[] = [
    { key: 'friends', name: t().friends, where: '', place: { name: 'friends' } },
    { key: 'mentions', name: t().mentions, where: '', place: { name: 'mentions' } },
    { key: 'settings', name: t().settings, where: '', place: { name: 'settings', section: '' } },
  ]
  return [...[...unread, ...rest].map(targetOf), ...pages]
}

function targetOf(room: Room): Target {
  const where = room.house_id === null ? t().privateRooms : (store.houses.value[room.house_id]?.name ?? '')
  return { key: room.id, name: roomName(room), where, place: placeOf(room) }
}

/** All rooms in the order of the screen: house by house, and the private rooms. */
export function allRooms(): Room[] {
  const houses = houseOrder.value.flatMap((id) => store.houses.value[id] ?? [])
  const ofHouses = houses.flatMap((house) => roomsByCategory(house).flatMap(({ rooms }) => rooms))
  return [...listPrivateRooms(), ...ofHouses]
}

/** The room before or after this one in the list that shows it; over its ends it goes round. */
export function neighbourOf(roomId: string, step: 1 | -1, fits: (room: Room) => boolean): Room | undefined {
  const rooms = allRooms()
  const from = rooms.findIndex(({ id }) => id === roomId)
  const start = from === -1 && step === -1 ? 0 : from
  for (let count = 1; count <= rooms.length; count += 1) {
    const room = rooms[(((start + step * count) % rooms.length) + rooms.length) % rooms.length]
    if (room && room.id !== roomId && fits(room)) return room
  }
  return undefined
}
