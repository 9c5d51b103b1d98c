import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

/** An entity with the ids of all its rooms, in display order. */
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

export async function insertEntity(
  db: Db,
  row: { id: string; house_id: string; name: string; position: number },
): Promise<void> {
  await db.insertInto('entities').values(row).execute()
}

export async function updateEntityName(db: Db, id: string, name: string): Promise<void> {
  await db.updateTable('entities').set({ name }).where('id', '=', id).execute()
}

/** Deletes an entity with its pointers. */
export async function deleteEntity(db: Db, id: string): Promise<void> {
  await db.deleteFrom('entities').where('id', '=', id).execute()
}

/** Sets the positions of entities to 0, 1, 2 … in this order. */
export async function updateEntityPositions(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update entities set position = wanted.place - 1
    from unnest(${ids}::bigint[]) with ordinality as wanted (id, place)
    where entities.id = wanted.id and entities.position <> wanted.place - 1`.execute(db)
}

/** Moves rooms to an entity, in this order; other rooms of the entity keep their position. */
export async function replaceRooms(db: Db, entityId: string, roomIds: readonly string[]): Promise<void> {
  await sql`
    insert into entity_rooms (room_id, entity_id, position)
    select room_id, ${entityId}, place - 1
    from unnest(${roomIds}::bigint[]) with ordinality as wanted (room_id, place)
    on conflict (room_id) do update set entity_id = excluded.entity_id, position = excluded.position`.execute(
    db,
  )
}
