import { addressesIn, mentionsIn } from '../../markdown/references.ts'
import { pathOf } from '../places.ts'
import { placeOf, roomName } from '../rooms/rooms.ts'
import { parsePath } from '../router.ts'
import type { Room, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { peopleIn } from './candidates.ts'
import { withMentionIds, withRoomAddresses, withUsernames } from './completion.ts'

type Named = Pick<User, 'id' | 'username'>

/** What is written as it is sent: usernames become mentions, and names of rooms their addresses. */
export function asSent(typed: string, room: Room): string {
  return /[@#]/.test(typed) ? sender(room, [])(typed) : typed
}

/** As `asSent`, for a text that may mention people who are not in the room, or not known to be. */
export function sender(room: Room, mentioned: readonly Named[]): (typed: string) => string {
  const people = [...mentioned, ...peopleIn(room)]
  const rooms = roomsOf(room).map((each) => ({ name: roomName(each), address: addressOf(each) }))
  return (typed) => withRoomAddresses(withMentionIds(typed, people), rooms)
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
  let read = withUsernames(content, users)
  for (const { start, end } of addressesIn(read).reverse()) {
    const name = nameOfRoomAt(read.slice(start, end))
    if (name !== undefined) read = read.slice(0, start) + name + read.slice(end)
  }
  return read
}

/** What one writes for an address, if it is that of a room of a house. */
function nameOfRoomAt(address: string): string | undefined {
  const { room, message } = roomAt(address) ?? {}
  return room && room.house_id !== null && message === undefined ? `#${roomName(room)}` : undefined
}

/** The room that an address of this client leads to, if one knows it, and the message there. */
export function roomAt(address: string): { room: Room; message: string | undefined } | undefined {
  if (!isOwnPage(address)) return undefined
  const place = parsePath(address)
  if (place.name !== 'room' && place.name !== 'private') return undefined
  const room = store.rooms.value[place.roomId]
  const houseId = place.name === 'room' ? place.houseId : null
  return room?.house_id === houseId ? { room, message: place.message } : undefined
}

/** Whether an address is one of this client. */
export function isOwnPage(address: string): boolean {
  const url = URL.parse(address)
  return url?.origin === location.origin && url.pathname.startsWith('/app/')
}

function addressOf(room: Room): string {
  return location.origin + pathOf(placeOf(room))
}

/** The rooms that one can name in a room. */
function roomsOf({ house_id }: Room): Room[] {
  return Object.values(store.rooms.value).filter(
    (each) => each.house_id !== null && each.house_id === house_id,
  )
}
