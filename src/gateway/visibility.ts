import { setImmediate as turnOfOthers } from 'node:timers/promises'
import { entity } from '../entities/forms.ts'
import { listEntities } from '../entities/queries.ts'
import type { EventOf as Of } from '../events/events.ts'
import { findHouseContents, type HouseContents } from '../houses/contents-queries.ts'
import { listRoleIds } from '../members/gateway-queries.ts'
import { room } from '../rooms/forms.ts'
import { readableRooms } from '../rooms/permissions.ts'
import type { RoomRow } from '../rooms/queries.ts'
import { type Audience, usersOf } from './audience.ts'
import { type Payload, payload } from './frames.ts'
import type { Gateway } from './gateway.ts'
import { factsOf } from './house-state.ts'
import type { Session } from './session.ts'

/** After looking at so many rooms, other work gets its turn: big houses have many, for many members. */
const examinedAtOnce = 10_000

/** Sends each session the entities with pointers to the rooms that it was told of. */
export async function tellEntities(
  { db }: Gateway,
  { house_id }: Of<'entities_updated'>,
  audience: Audience,
) {
  const sessions = audience.inHouse(house_id)
  if (sessions.length === 0) return
  const events = entitiesOf(house_id, await listEntities(db, house_id))
  for (const session of sessions) {
    const rooms = session.houses.get(house_id)
    if (rooms) session.emit(events(rooms))
  }
}

/** The entities with pointers to these rooms: one event for all sessions that share this set of rooms. */
function entitiesOf(
  house_id: string,
  rows: HouseContents['entities'],
): (rooms: ReadonlySet<string>) => Payload {
  return once((rooms) => {
    const entities = rows.map((row) => entity(row, rooms))
    return payload('HOUSE_ENTITIES_UPDATE', { house_id, entities })
  })
}

/** Makes the event of each key once, for all who are told of it. */
function once<Key>(make: (key: Key) => Payload): (key: Key) => Payload {
  const made = new Map<Key, Payload>()
  return (key) => {
    const event = made.get(key) ?? make(key)
    made.set(key, event)
    return event
  }
}

/** Sends each member whose readable rooms changed the rooms gained, the rooms lost, and then the entities. */
export async function tellVisibility(gateway: Gateway, fact: Of<'visibility_changed'>, audience: Audience) {
  const { house_id, user_ids } = fact
  const sessions = audience
    .inHouse(house_id)
    .filter((session) => user_ids === null || user_ids.includes(session.userId))
  if (sessions.length === 0) return
  const [contents, rolesOf] = await Promise.all([
    findHouseContents(gateway.db, house_id),
    listRoleIds(gateway.db, house_id, usersOf(sessions)),
  ])
  if (!contents) return
  const { house, rooms, entities } = contents
  const events: VisibilityEvents = {
    gained: once((row) => payload('ROOM_CREATE', room(row, null))),
    lost: once((id) => payload('ROOM_DELETE', { id, house_id: house.id })),
    entities: entitiesOf(house.id, entities),
  }
  let examined = 0
  for (const [userId, ofUser] of Map.groupBy(sessions, (session) => session.userId)) {
    const roleIds = rolesOf.get(userId)
    if (!roleIds) continue
    examined += rooms.length * ofUser.length
    if (examined > examinedAtOnce) {
      examined = 0
      await turnOfOthers()
    }
    const visible = readableRooms(factsOf(contents, userId, roleIds), rooms)
    const readable = new Map(visible.map((row) => [row.id, row]))
    for (const session of ofUser) tellDifference(gateway, session, house.id, readable, events)
  }
}

type VisibilityEvents = {
  gained: (row: RoomRow) => Payload
  lost: (roomId: string) => Payload
  entities: (rooms: ReadonlySet<string>) => Payload
}

function tellDifference(
  { hub }: Gateway,
  session: Session,
  houseId: string,
  readable: ReadonlyMap<string, RoomRow>,
  events: VisibilityEvents,
) {
  const known = session.houses.get(houseId)
  if (!known) return
  const unsettled = session.unsettled?.get(houseId) ?? new Set<string>()
  const gained = [...readable.values()].filter((row) => !known.has(row.id) || unsettled.has(row.id))
  const lost = [...known.union(unsettled)].filter((id) => !readable.has(id))
  if (gained.length + lost.length === 0) return
  hub.setRooms(session, houseId, [...readable.keys()])
  for (const row of gained) session.emit(events.gained(row))
  for (const id of lost) session.emit(events.lost(id))
  session.emit(events.entities(session.houses.get(houseId)!))
}
