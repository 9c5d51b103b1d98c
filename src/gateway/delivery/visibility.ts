import type { HouseContents } from '../../houses/contents-queries.ts'
import { listEntities } from '../../houses/entities/queries.ts'
import { serializeEntity } from '../../houses/entities/serializers.ts'
import { readableRooms } from '../../rooms/permissions.ts'
import type { RoomRow } from '../../rooms/queries.ts'
import { serializeRoom } from '../../rooms/serializers.ts'
import { readHouseFor } from '../sessions/house-state.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionRegistry } from '../sessions/session-registry.ts'
import { type Payload, payload } from '../transport/frames.ts'
import { forEachUser, usersOf } from './audience.ts'
import type { EventHandlers } from './event-handler.ts'

/** Rooms that are looked at before other work gets its turn: big houses have many, for many members. */
const maxExamined = 10_000

export const visibilityHandlers: EventHandlers = {
  /** HOUSE_ENTITIES_UPDATE, with pointers to the rooms that a session knows. */
  async entities_updated({ db }, { house_id }, audience) {
    const sessions = audience.sessionsInHouse(house_id)
    if (sessions.length === 0) return
    const event = entitiesEvent(house_id, await listEntities(db, house_id))
    for (const session of sessions) {
      const rooms = session.houses.get(house_id)
      if (rooms) audience.emit([session], event(rooms))
    }
  },

  /** ROOM_CREATE, ROOM_DELETE and HOUSE_ENTITIES_UPDATE to each member who can read other rooms now. */
  async visibility_changed({ db, registry }, { house_id, user_ids }, audience) {
    const sessions = audience
      .sessionsInHouse(house_id)
      .filter((session) => user_ids === null || user_ids.includes(session.userId))
    if (sessions.length === 0) return
    const house = await readHouseFor(db, house_id, usersOf(sessions))
    if (!house) return
    const { contents, contextOf } = house
    const events = visibilityEvents(contents)
    audience.examined(contents, contents.rooms.length * sessions.length)
    await forEachUser(sessions, maxExamined, (userId, ofUser) => {
      const context = contextOf(userId)
      if (!context) return 0
      const readable = readableRooms(context, contents.rooms)
      for (const session of ofUser) {
        const frames = applyVisibility(registry, session, readable, events)
        if (frames.length > 0) audience.emit([session], ...frames)
      }
      return contents.rooms.length * ofUser.length
    })
  },
}

type EntitiesEvent = (rooms: ReadonlySet<string>) => Payload

/** Sessions that know the same rooms share a set, and so an event. */
function entitiesEvent(house_id: string, rows: HouseContents['entities']): EntitiesEvent {
  return memoize((rooms) => {
    const entities = rows.map((row) => serializeEntity(row, rooms))
    return payload('HOUSE_ENTITIES_UPDATE', { house_id, entities })
  })
}

function memoize<Key>(make: (key: Key) => Payload): (key: Key) => Payload {
  const made = new Map<Key, Payload>()
  return (key) => {
    const event = made.get(key) ?? make(key)
    made.set(key, event)
    return event
  }
}

type VisibilityEvents = {
  houseId: string
  gained: (row: RoomRow) => Payload
  lost: (roomId: string) => Payload
  entities: EntitiesEvent
}

/** The events of rooms gained and lost in a house, each made once for all receivers. */
export function visibilityEvents({ house, entities }: HouseContents): VisibilityEvents {
  return {
    houseId: house.id,
    gained: memoize((row) => payload('ROOM_CREATE', serializeRoom(row, null))),
    lost: memoize((id) => payload('ROOM_DELETE', { id, house_id: house.id })),
    entities: entitiesEvent(house.id, entities),
  }
}

/** Gives a session these rooms of a house. Returns the events for those gained, those lost, and then the entities. */
export function applyVisibility(
  registry: SessionRegistry,
  session: Session,
  readable: readonly RoomRow[],
  events: VisibilityEvents,
): Payload[] {
  const known = session.houses.get(events.houseId)
  if (!known) return []
  const readableIds = new Set(readable.map((row) => row.id))
  const gained = readable.filter((row) => !known.has(row.id))
  const lost = [...known.difference(readableIds)]
  if (gained.length + lost.length === 0) return []
  const rooms = registry.setRooms(session, events.houseId, readableIds)
  return [...gained.map(events.gained), ...lost.map(events.lost), events.entities(rooms)]
}
