import { isDatabaseAway } from '../db/away.ts'
import type { Db } from '../db/client.ts'
import type { EventOf as Of } from '../events/events.ts'
import { findHouseContents } from '../houses/contents-queries.ts'
import { roomPermissions } from '../houses/permissions.ts'
import { listRoleIds } from '../members/gateway-queries.ts'
import { editedAnew } from '../messages/missed-operations.ts'
import { room } from '../rooms/forms.ts'
import { roomType } from '../rooms/permissions.ts'
import { findRoom, type RoomRow } from '../rooms/queries.ts'
import { type Audience, emitTo, usersOf } from './audience.ts'
import { payload } from './frames.ts'
import type { Gateway } from './gateway.ts'
import { factsOf } from './house-state.ts'
import type { Session } from './session.ts'

/** To members who can read the room and have not been told of it yet. */
export async function tellRoomCreated({ db, hub }: Gateway, fact: Of<'room_created'>, audience: Audience) {
  const { house_id, room_id } = fact
  const sessions = audience.inHouse(house_id).filter((one) => !one.houses.get(house_id)?.has(room_id))
  if (sessions.length === 0) return
  const found = await findReaders(db, fact, sessions)
  if (!found) return
  const event = payload('ROOM_CREATE', room(found.row, null))
  for (const session of found.readers) {
    hub.enterRoom(session, house_id, room_id)
    session.emit(event)
  }
}

export function tellRoomDeleted({ hub }: Gateway, fact: Of<'room_deleted'>, audience: Audience) {
  const { house_id, room_id } = fact
  const event = payload('ROOM_DELETE', { id: room_id, house_id })
  for (const session of audience.inHouse(house_id)) {
    if (hub.leaveRoom(session, house_id, room_id)) session.emit(event)
  }
}

export async function tellRoomUpdated(gateway: Gateway, fact: Of<'room_updated'>, audience: Audience) {
  const { room_id, house_id, except_user_id } = fact
  const sessions = audience.inRoom(room_id).filter((one) => one.userId !== except_user_id)
  if (sessions.length === 0) return
  if (house_id === null) return tellPrivateRoomUpdated(gateway, room_id, sessions)
  // Members who can no longer read the room are not told of the change: `visibility_changed` follows.
  const found = await findReaders(gateway.db, { house_id, room_id }, sessions)
  if (found) emitTo(found.readers, payload('ROOM_UPDATE', room(found.row, null)))
}

async function tellPrivateRoomUpdated({ db }: Gateway, roomId: string, sessions: Session[]) {
  const row = await findRoom(db, roomId)
  if (!row) return
  for (const [userId, ofUser] of Map.groupBy(sessions, (session) => session.userId)) {
    if (isInside(row, userId)) emitTo(ofUser, payload('ROOM_UPDATE', room(row, userId)))
  }
}

export async function tellPrivateRoomEntered(
  gateway: Gateway,
  { room_id, user_id }: Of<'private_room_entered'>,
  audience: Audience,
) {
  const sessions = audience.ofUser(user_id).filter((session) => !session.privateRooms?.has(room_id))
  await showPrivateRoom(gateway, sessions, room_id)
}

/** ROOM_CREATE to sessions of one user, if they are in the room now. */
async function showPrivateRoom({ db, hub }: Gateway, sessions: readonly Session[], roomId: string) {
  if (sessions.length === 0) return
  const { userId } = sessions[0]!
  const row = await findRoom(db, roomId)
  if (!row || !isInside(row, userId)) return
  const event = payload('ROOM_CREATE', room(row, userId))
  for (const session of sessions) {
    hub.enterRoom(session, null, roomId)
    session.emit(event)
  }
}

export async function tellPrivateRoomLeft(
  gateway: Gateway,
  { room_id, user_id }: Of<'private_room_left'>,
  audience: Audience,
) {
  const sessions = audience.ofUser(user_id).filter((session) => gateway.hub.leaveRoom(session, null, room_id))
  emitTo(sessions, payload('ROOM_DELETE', { id: room_id, house_id: null }))
  // They may be back: let in again at the same moment, and that may have been told before.
  await showPrivateRoom(gateway, sessions, room_id)
}

export function tellMessage(
  gateway: Gateway,
  fact: Of<'message_created' | 'message_updated' | 'message_deleted'>,
  audience: Audience,
): void | Promise<void> {
  const sessions = audience.inRoom(fact.room_id)
  if (sessions.length === 0) return
  if (fact.type === 'message_deleted') {
    const { message_id, room_id, house_id } = fact
    // Some existing clients read one of the ids, some the other.
    emitTo(sessions, payload('MESSAGE_DELETE', { id: message_id, message_id, room_id, house_id }))
  } else if (fact.type === 'message_created') {
    emitTo(sessions, payload('MESSAGE_CREATE', fact.message))
  } else {
    return tellPresentEdit(gateway, fact, sessions)
  }
}

/**
 * The message as it is now: of two changes at the same moment, the later one may have been heard of first, even in one
 * process, as PostgreSQL answers commits in any order. Where it cannot be read, as this edit has made it.
 */
async function tellPresentEdit(
  { db, origin }: Gateway,
  fact: Of<'message_updated'>,
  sessions: readonly Session[],
) {
  const present = await editedAnew(db, fact, origin()).catch((error: unknown) => {
    if (!isDatabaseAway(error)) throw error
    return fact
  })
  if (present) emitTo(sessions, payload('MESSAGE_UPDATE', present.message))
}

/** In a private room it has the ids of the receivers; existing clients recognise a private room by that key. */
export async function tellTyping({ db }: Gateway, fact: Of<'typing_started'>, audience: Audience) {
  const { timestamp, room_id, house_id, author_id } = fact
  const typing = { timestamp, room_id, house_id, author_id }
  if (house_id !== null) return emitTo(audience.inRoom(room_id), payload('TYPING_START', typing))
  const row = await findRoom(db, room_id)
  if (!row) return
  const ids = row.participants.map((user) => user.id)
  const recipient_ids = row.type === roomType.oneToOne ? ids.filter((id) => id !== author_id) : ids
  emitTo(audience.inRoom(room_id), payload('TYPING_START', { ...typing, recipient_ids }))
}

/** A room of a house, and those of the sessions whose users can read it; undefined when it is gone. */
async function findReaders(
  db: Db,
  { house_id, room_id }: { house_id: string; room_id: string },
  sessions: Session[],
): Promise<{ row: RoomRow; readers: Session[] } | undefined> {
  const contents = await findHouseContents(db, house_id)
  const row = contents?.rooms.find((one) => one.id === room_id)
  if (!contents || !row) return undefined
  const rolesOf = await listRoleIds(db, house_id, usersOf(sessions))
  const readers = new Set<string>()
  for (const [userId, roleIds] of rolesOf) {
    if (roomPermissions(factsOf(contents, userId, roleIds), row) !== 0) readers.add(userId)
  }
  return { row, readers: sessions.filter((session) => readers.has(session.userId)) }
}

function isInside(row: RoomRow, userId: string): boolean {
  return row.participants.some((user) => user.id === userId)
}
