import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

/** An entity with the ids of its rooms in display order, readable or not. */
export type EntityRow = { id: string; house_id: string; name: string; position: number; room_ids: string[] }

/** The entities of a house, by position. */
export function listEntities(db: Db, houseId: string): Promise<EntityRow[]> {
  return listEntitiesOfHouses(db, [houseId])
}

/** The entities of several houses, by position. */
export async function listEntitiesOfHouses(db: Db, houseIds: readonly string[]): Promise<EntityRow[]> {
  const { rows } = await sql<EntityRow>`
    select id, house_id, name, position,
      array(select room_id::text from entity_rooms where entity_id = entities.id
        order by entity_rooms.position, room_id) as room_ids
    from entities where house_id = any(${houseIds}::bigint[]) order by position, id`.execute(db)
  return rows
}
