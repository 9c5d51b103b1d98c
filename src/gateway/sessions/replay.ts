import type { Db } from '../../database/client.ts'
import { globalScope, type HearthEvent, userScope } from '../../events/events.ts'
import { listMissed } from '../../events/log-queries.ts'
import { listContacts } from '../../friendships/contact-queries.ts'
import { type HouseContext, roomPermissions } from '../../houses/permissions.ts'
import { listHouseSizes } from '../../houses/queries.ts'
import { readableRooms } from '../../rooms/permissions.ts'
import type { GatewayContext } from '../context.ts'
import { maxPrivateRooms, maxReadEvents, maxReplayedEvents, resumedRoomBytes } from '../settings.ts'
import { readHouseFor } from './house-state.ts'
import { listAnnouncedRooms } from './init-state.ts'
import type { Session } from './session.ts'

/** Houses are read together whose rooms come to this: what else the process does waits while many rows are read. */
const maxRoomsAtOnce = 500
const maxHousesAtOnce = 25

/** What a client missed up to a position, with the houses and rooms that it knew before. */
export type Replay = {
  missed: { event: HearthEvent; position: number }[]
  position: number
  houses: Map<string, ReadonlySet<string>>
  privateRoomIds: string[]
}

/** The membership by which a user can read rooms of a house, and these rooms. */
type ReadableHouse = { context: HouseContext; roomIds: string[] }

/**
 * Reads what a session missed after a position. Undefined where the client must log in instead: what it missed was trimmed,
 * is too much, or has changed which houses and rooms the user can see.
 */
export async function readReplay(
  { db, answeredBytes }: GatewayContext,
  session: Session,
  after: number,
): Promise<Replay | undefined> {
  const { userId } = session
  const [sizes, places, contacts] = await Promise.all([
    listHouseSizes(db, userId),
    listAnnouncedRooms(db, userId),
    listContacts(db, userId),
  ])
  const roomCount = sizes.reduce((sum, { room_count }) => sum + room_count, 0)
  answeredBytes.charge(session.personId, roomCount * resumedRoomBytes)
  // A login names no more rooms, and it is not known which.
  if (places.length === maxPrivateRooms) return undefined
  const privateRoomIds = places.map((place) => place.id)
  const contactIds = contacts.map((contact) => contact.user_id)
  const own = [globalScope, userId, userScope(userId)]
  const scopes = [...new Set([...own, ...sizes.map(({ id }) => id), ...privateRoomIds, ...contactIds])]
  const houses = await readHouses(db, session, sizes)
  if (!houses) return undefined
  // Read last, so that it includes what changes meanwhile.
  const log = await listMissed(db, { after, scopes, limit: maxReadEvents })
  if (!log || log.missed.length >= maxReadEvents) return undefined
  if (log.missed.some(({ event }) => changesAccess(event, userId))) return undefined
  const created = new Set(
    log.missed.flatMap(({ event }) => (event.type === 'room_created' ? event.room_id : [])),
  )
  const known = new Map<string, ReadonlySet<string>>()
  const readable = new Set([...privateRoomIds, ...created])
  for (const [houseId, { context, roomIds }] of houses) {
    const deleted = log.missed.flatMap(({ event }) => {
      const isOfHouse = event.type === 'room_deleted' && event.house_id === houseId
      return isOfHouse && roomPermissions(context, event.room!) !== 0 ? event.room_id : []
    })
    for (const id of roomIds) readable.add(id)
    known.set(houseId, new Set([...roomIds, ...deleted]).difference(created))
  }
  const missed = log.missed.filter(({ event }) => !('message_id' in event) || readable.has(event.room_id))
  if (missed.length > maxReplayedEvents) return undefined
  return { missed, position: log.position, houses: known, privateRoomIds }
}

/** Undefined where the user has left a house, or the connection is closed meanwhile. */
async function readHouses(
  db: Db,
  { userId, connection }: Session,
  sizes: readonly { id: string; room_count: number }[],
): Promise<Map<string, ReadableHouse> | undefined> {
  const houses = new Map<string, ReadableHouse>()
  for (const part of partsOf(sizes)) {
    if (!connection.isOpen) return undefined
    const read = await Promise.all(part.map((id) => readHouseFor(db, id, [userId])))
    for (const [index, id] of part.entries()) {
      const house = read[index]
      const context = house?.contextOf(userId)
      if (!house || !context) return undefined
      const roomIds = readableRooms(context, house.contents.rooms).map((room) => room.id)
      houses.set(id, { context, roomIds })
    }
  }
  return houses
}

/** The ids of houses that are read together. */
function partsOf(sizes: readonly { id: string; room_count: number }[]): string[][] {
  const parts: string[][] = []
  let rooms = Number.POSITIVE_INFINITY
  for (const { id, room_count } of sizes) {
    rooms += room_count
    if (rooms <= maxRoomsAtOnce && parts.at(-1)!.length < maxHousesAtOnce) {
      parts.at(-1)!.push(id)
    } else {
      parts.push([id])
      rooms = room_count
    }
  }
  return parts
}

/** Whether an event changes what a user can see as a whole; what they saw before is not known. */
function changesAccess(event: HearthEvent, userId: string): boolean {
  if (event.type === 'room_deleted') return event.room === undefined
  const isChange = event.type === 'access_changed' || event.type === 'visibility_changed'
  return isChange && (event.user_ids === null || event.user_ids.includes(userId))
}
