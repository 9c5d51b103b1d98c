import type { EntityRow } from './queries.ts'
import type { Entity } from './schemas.ts'

/** An entity with pointers to readable rooms only: existing clients throw on a pointer to an unknown room. */
export function serializeEntity(row: EntityRow, readableRoomIds: ReadonlySet<string>): Entity {
  const readable = row.room_ids.filter((id) => readableRoomIds.has(id))
  return {
    id: row.id,
    house_id: row.house_id,
    name: row.name,
    type: 1,
    position: row.position,
    resource_pointers: readable.map((id) => ({ resource_type: 'room', resource_id: id })),
  }
}
