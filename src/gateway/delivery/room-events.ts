import type { Db } from '../../database/client.ts'
import { roomPermissions } from '../../houses/permissions.ts'
import { roomType } from '../../rooms/permissions.ts'
import { findParticipants } from '../../rooms/private-rooms/queries.ts'
import { findRoom, type RoomRow } from '../../rooms/queries.ts'
import { serializeRoom } from '../../rooms/serializers.ts'
import { readHouseFor } from '../sessions/house-state.ts'
import type { Session } from '../sessions/session.ts'
import { payload } from '../transport/frames.ts'
import { type Audience, usersOf } from './audience.ts'
import { ahead, type EventHandlers, type ReadAheadHandlers } from './event-handler.ts'

export const roomHandlers: EventHandlers = {
  /** ROOM_CREATE to members who can read the room, unless they know it already. */
  async room_created({ db, registry }, { house_id, room_id }, audience) {
    const sessions = audience
      .sessionsInHouse(house_id)
      .filter((one) => !one.houses.get(house_id)?.has(room_id))
    const found = await findReaders(db, house_id, room_id, sessions, audience)
    if (!found) return
    registry.addRoom(found.readers, house_id, room_id)
    audience.emit(found.readers, payload('ROOM_CREATE', serializeRoom(found.row, null)))
  },

  room_deleted({ registry }, { house_id, room_id }, audience) {
    const sessions = audience
      .sessionsInHouse(house_id)
      .filter((one) => one.houses.get(house_id)?.has(room_id))
    registry.removeRoom(sessions, house_id, room_id)
    audience.emit(sessions, payload('ROOM_DELETE', { id: room_id, house_id }))
  },

  /** To those who can still read the room, or are in it. */
  async room_updated({ db }, { room_id, house_id, except_user_id }, audience) {
    const sessions = audience.sessionsInRoom(room_id).filter((one) => one.userId !== except_user_id)
    if (sessions.length === 0) return
    if (house_id !== null) {
      const found = await findReaders(db, house_id, room_id, sessions, audience)
      if (found) audience.emit(found.readers, payload('ROOM_UPDATE', serializeRoom(found.row, null)))
      return
    }
    const row = await findRoom(db, room_id)
    if (!row) return
    for (const [userId, ofUser] of Map.groupBy(sessions, (session) => session.userId)) {
      if (isInside(row, userId)) audience.emit(ofUser, payload('ROOM_UPDATE', serializeRoom(row, userId)))
    }
  },

  private_room_left({ registry }, { room_id, user_id }, audience) {
    const own = audience
      .sessionsOfUser(user_id)
      .filter((session) => registry.leavePrivateRoom(session, room_id))
    audience.emit(own, payload('ROOM_DELETE', { id: room_id, house_id: null }))
  },
}

export const roomReadAheadHandlers: ReadAheadHandlers = {
  /** ROOM_CREATE to the one who entered, if they are in the room now. */
  private_room_entered({ db, registry }, { room_id, user_id }) {
    const find = () => findRoom(db, room_id)
    const reading = registry.sessionsOfUser(user_id).length > 0 ? ahead(find()) : undefined
    return async (audience) => {
      const sessions = audience
        .sessionsOfUser(user_id)
        .filter((session) => !session.privateRooms?.has(room_id))
      const row = sessions.length > 0 ? await (reading ?? find()) : undefined
      if (!row || !isInside(row, user_id)) return
      for (const session of sessions) registry.enterPrivateRoom(session, room_id)
      audience.emit(sessions, payload('ROOM_CREATE', serializeRoom(row, user_id)))
    }
  },

  /** Only a private room has `recipient_ids`: existing clients tell it from a house room by them. */
  typing_started({ db, registry }, { timestamp, room_id, house_id, author_id }) {
    const find = () => findParticipants(db, room_id)
    const isExpected = house_id === null && registry.sessionsInRoom(room_id).length > 0
    const reading = isExpected ? ahead(find()) : undefined
    return async (audience) => {
      const sessions = audience.sessionsInRoom(room_id)
      if (sessions.length === 0) return
      const typing = { timestamp, room_id, house_id, author_id }
      if (house_id !== null) return audience.emit(sessions, payload('TYPING_START', typing))
      const found = await (reading ?? find())
      if (!found) return
      const { type, user_ids } = found
      const recipient_ids = type === roomType.oneToOne ? user_ids.filter((id) => id !== author_id) : user_ids
      audience.emit(sessions, payload('TYPING_START', { ...typing, recipient_ids }))
    }
  },
}

/** A room of a house, and those of the sessions whose users can read it. */
async function findReaders(
  db: Db,
  houseId: string,
  roomId: string,
  sessions: Session[],
  audience: Audience,
): Promise<{ row: RoomRow; readers: Session[] } | undefined> {
  const house = sessions.length > 0 ? await readHouseFor(db, houseId, usersOf(sessions)) : undefined
  const row = house?.contents.rooms.find((one) => one.id === roomId)
  if (!house || !row) return undefined
  audience.examined(house.contents, sessions.length)
  const readers = new Set(
    usersOf(sessions).filter((id) => {
      const context = house.contextOf(id)
      return context && roomPermissions(context, row) !== 0
    }),
  )
  return { row, readers: sessions.filter((session) => readers.has(session.userId)) }
}

function isInside(row: RoomRow, userId: string): boolean {
  return row.participants.some((user) => user.id === userId)
}
