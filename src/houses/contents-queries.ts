import { coalesce } from '../database/batching/coalesce.ts'
import type { Db } from '../database/client.ts'
import { listRoomsOfHouses, type RoomRow } from '../rooms/queries.ts'
import { type EntityRow, listEntitiesOfHouses } from './entities/queries.ts'
import { findHouseSummary, type HouseSummaryRow } from './queries.ts'
import { listRolesOfHouses, type RoleRow } from './roles/queries.ts'

/**
 * A house with all its rooms and entities, by position, and its roles, highest first; readable or not, without members.
 */
export type HouseContents = {
  house: HouseSummaryRow
  rooms: RoomRow[]
  entities: EntityRow[]
  roles: RoleRow[]
}

/** The contents of a house, or undefined. Concurrent calls share four statements. */
export const findHouseContents = coalesce<string, HouseContents | undefined>(async (db: Db, ids) => {
  const [houses, rooms, entities, roles] = await Promise.all([
    Promise.all(ids.map((id) => findHouseSummary(db, id))),
    listRoomsOfHouses(db, ids),
    listEntitiesOfHouses(db, ids),
    listRolesOfHouses(db, ids),
  ])
  const roomsOf = byHouse(rooms)
  const entitiesOf = byHouse(entities)
  const rolesOf = byHouse(roles)
  return houses.map((house) => {
    return (
      house && { house, rooms: roomsOf(house.id), entities: entitiesOf(house.id), roles: rolesOf(house.id) }
    )
  })
})

function byHouse<Row extends { house_id: string | null }>(rows: Row[]): (houseId: string) => Row[] {
  const groups = Map.groupBy(rows, (row) => row.house_id)
  return (houseId) => groups.get(houseId) ?? []
}
