import { addressesIn, mentionsIn } from '../../markdown/references.ts'
import { placePath } from '../own-addresses.ts'
import { pathOf } from '../places.ts'
import { placeOf, roomName } from '../rooms/rooms.ts'
import { parsePath } from '../router.ts'
import type { Room, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { peopleIn } from './candidates.ts'
import { withMentionIds, withRoomAddresses, withUsernames } from './completion.ts'

type Named = Pick<User, 'id' | 'username'>

/** What is written as it is sent: usernames become mentions, and names and addresses of rooms their paths. */
export function asSent(typed: string, room: Room): string {
  return /[@#/]/.test(typed) ? sender(room, [])(typed) : typed
}

/** As `asSent`, for a text that may mention people who are not in the room, or not known to be. */
export function sender(room: Room, mentioned: readonly Named[]): (typed: string) => string {
  const people = [...mentioned, ...peopleIn(room)]
  const rooms = roomsOf(room).map((each) => ({ name: roomName(each), address: pathOf(placeOf(each)) }))
  return (typed) => withRoomAddresses(withMentionIds(withRoomPaths(typed), people), rooms)
}

/** Replaces the addresses of rooms by their paths, which hold after a change of the domain as well. */
function withRoomPaths(text: string): string {
  return withPlaces(text, (room) => pathOf(placeOf(room)))
}

/** A text with something else in the place of each address of a room of a house. */
function withPlaces(text: string, nameOf: (room: Room) => string): string {
  let changed = text
  // From the end, so that the places of the others hold.
  for (const { start, end } of addressesIn(text).reverse()) {
    const room = namedRoomAt(text.slice(start, end))
    if (room) changed = changed.slice(0, start) + nameOf(room) + changed.slice(end)
  }
  return changed
}

/** A message's text as one writes it: what `sender` would make the same of again stands there by its name. */
export function asTyped(content: string, room: Room, mentioned: readonly Named[]): string {
  const send = sender(room, mentioned)
  const sent = send(content)
  const all = asRead(content, mentioned)
  if (send(all) === sent) return all
  let typed = content
  const references = [...mentionsIn(content), ...addressesIn(content)].sort((a, b) => b.start - a.start)
  // From the end, so that the places of the others hold.
  for (const { start, end } of references) {
    const tried = typed.slice(0, start) + asRead(content.slice(start, end), mentioned) + typed.slice(end)
    if (tried !== typed && send(tried) === sent) typed = tried
  }
  return typed
}

/** A message's text where it is text alone, with the names of people and rooms in it. */
export function asRead(content: string, mentioned: readonly Named[] = []): string {
  const users = { ...Object.fromEntries(mentioned.map((user) => [user.id, user])), ...store.users.peek() }
  return withPlaces(withUsernames(content, users), (room) => `#${roomName(room)}`)
}

/** The room of a house that an address leads to, unless to a message in it. */
function namedRoomAt(address: string): Room | undefined {
  const { room, message } = roomAt(address) ?? {}
  return room && room.house_id !== null && message === undefined ? room : undefined
}

/** The room that an address of this client leads to, if one knows it, and the message there. */
export function roomAt(address: string): { room: Room; message: string | undefined } | undefined {
  const path = placePath(address)
  if (path === undefined) return undefined
  const place = parsePath(path)
  if (place.name !== 'room' && place.name !== 'private') return undefined
  const room = store.rooms.value[place.roomId]
  const houseId = place.name === 'room' ? place.houseId : null
  return room?.house_id === houseId ? { room, message: place.message } : undefined
}

/** The rooms that one can name in a room. */
function roomsOf({ house_id }: Room): Room[] {
  return Object.values(store.rooms.value).filter(
    (each) => each.house_id !== null && each.house_id === house_id,
  )
}
