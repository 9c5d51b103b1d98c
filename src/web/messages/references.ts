import { pathOf } from '../places.ts'
import { placeOf, roomName } from '../rooms/rooms.ts'
import { parsePath } from '../router.ts'
import type { Room, User } from '../state/state.ts'
import { store } from '../state/store.ts'
import { peopleIn } from './candidates.ts'
import { outsideCode, withMentionIds, withRoomAddresses, withUsernames } from './completion.ts'

type Named = Pick<User, 'id' | 'username'>

/** What is written as it is sent: usernames become mentions, and names of rooms their addresses. */
export function asSent(typed: string, room: Room): string {
  return /[@#]/.test(typed) ? sender(room, [])(typed) : typed
}

/** As `asSent`, for a text that may mention people who are not in the room, or not known to be. */
export function sender(room: Room, mentioned: readonly Named[]): (typed: string) => string {
  const people = [...mentioned, ...peopleIn(room)]
  const rooms = roomsOf(room).map((each) => ({ name: roomName(each), address: addressOf(each) }))
  return (typed) => outsideCode(typed, (text) => withRoomAddresses(withMentionIds(text, people), rooms))
}

const webAddress = /https?:\/\/[^\s<>()]*[\w/]/g
const reference = new RegExp(`<@!?\\d+>|${webAddress.source}`, 'g')

/** A message's text as one writes it: what `sender` would make the same of again stands there by its name. */
export function asTyped(content: string, room: Room, mentioned: readonly Named[]): string {
  const send = sender(room, mentioned)
  const sent = send(content)
  let typed = content
  // From the end, so that the places of the others hold.
  for (const { 0: found, index } of [...content.matchAll(reference)].reverse()) {
    const tried = typed.slice(0, index) + asRead(found, mentioned) + typed.slice(index + found.length)
    if (tried !== typed && send(tried) === sent) typed = tried
  }
  return typed
}

/** A message's text where it is text alone, with the names of people and rooms in it. */
export function asRead(content: string, mentioned: readonly Named[] = []): string {
  const users = { ...Object.fromEntries(mentioned.map((user) => [user.id, user])), ...store.users.peek() }
  return withUsernames(content, users).replace(webAddress, (address) => {
    const found = roomAt(address)
    return found && found.room.house_id !== null && found.message === undefined
      ? `#${roomName(found.room)}`
      : address
  })
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
