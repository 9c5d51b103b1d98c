import { globalScope, type HearthEvent, userScope } from '../../events/events.ts'
import { listMissed } from '../../events/log-queries.ts'
import { listContacts } from '../../friendships/contact-queries.ts'
import { roomPermissions } from '../../houses/permissions.ts'
import { listHouseIds } from '../../houses/queries.ts'
import { readableRooms } from '../../rooms/permissions.ts'
import type { GatewayContext } from '../context.ts'
import { maxPrivateRooms, maxReadEvents, maxReplayedEvents } from '../settings.ts'
import { readHouseFor } from './house-state.ts'
import { listAnnouncedRooms } from './init-state.ts'

/** What a client missed up to a position, with the houses and rooms that it knew before. */
export type Replay = {
  missed: { event: HearthEvent; position: number }[]
  position: number
  houses: Map<string, ReadonlySet<string>>
  privateRoomIds: string[]
}

/**
 * Reads what a user missed after a position. Undefined where the client must log in instead: what it missed was trimmed, is
 * too much, or has changed which houses and rooms the user can see.
 */
export async function readReplay(
  { db }: GatewayContext,
  userId: string,
  after: number,
): Promise<Replay | undefined> {
  const [houseIds, places, contacts] = await Promise.all([
    listHouseIds(db, userId),
    listAnnouncedRooms(db, userId),
    listContacts(db, userId),
  ])
  // A login names no more rooms, and it is not known which.
  if (places.length === maxPrivateRooms) return undefined
  const privateRoomIds = places.map((place) => place.id)
  const contactIds = contacts.map((contact) => contact.user_id)
  const own = [globalScope, userId, userScope(userId)]
  const scopes = [...new Set([...own, ...houseIds, ...privateRoomIds, ...contactIds])]
  const houses = await Promise.all(houseIds.map((id) => readHouseFor(db, id, [userId])))
  // Read last, so that it includes what changes meanwhile.
  const log = await listMissed(db, { after, scopes, limit: maxReadEvents })
  if (!log || log.missed.length >= maxReadEvents) return undefined
  if (log.missed.some(({ event }) => changesAccess(event, userId))) return undefined
  const created = new Set(
    log.missed.flatMap(({ event }) => (event.type === 'room_created' ? event.room_id : [])),
  )
  const known = new Map<string, ReadonlySet<string>>()
  const readable = new Set([...privateRoomIds, ...created])
  for (const [index, houseId] of houseIds.entries()) {
    const house = houses[index]
    const context = house?.contextOf(userId)
    if (!house || !context) return undefined
    const present = readableRooms(context, house.contents.rooms).map((room) => room.id)
    const deleted = log.missed.flatMap(({ event }) => {
      const isOfHouse = event.type === 'room_deleted' && event.house_id === houseId
      return isOfHouse && roomPermissions(context, event.room!) !== 0 ? event.room_id : []
    })
    for (const id of present) readable.add(id)
    known.set(houseId, new Set([...present, ...deleted]).difference(created))
  }
  const missed = log.missed.filter(({ event }) => !('message_id' in event) || readable.has(event.room_id))
  if (missed.length > maxReplayedEvents) return undefined
  return { missed, position: log.position, houses: known, privateRoomIds }
}

/** Whether an event changes what a user can see as a whole; what they saw before is not known. */
function changesAccess(event: HearthEvent, userId: string): boolean {
  if (event.type === 'room_deleted') return event.room === undefined
  const isChange = event.type === 'access_changed' || event.type === 'visibility_changed'
  return isChange && (event.user_ids === null || event.user_ids.includes(userId))
}
