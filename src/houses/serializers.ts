import { readableRooms } from '../rooms/permissions.ts'
import type { RoomRow } from '../rooms/queries.ts'
import { serializeRoom, withShownOverrides } from '../rooms/serializers.ts'
import type { HouseContents } from './contents-queries.ts'
import { serializeEntity } from './entities/serializers.ts'
import { type HouseContext, housePermissions } from './permissions.ts'
import type { HouseSummaryRow } from './queries.ts'
import { serializeRole } from './roles/serializers.ts'
import type { GatewayHouse, HouseDetail, HouseSummary } from './schemas.ts'

export function serializeHouseSummary(row: HouseSummaryRow): HouseSummary {
  const { id, name, description, icon, owner_id, type, member_count } = row
  return { id, name, description, icon, banner: null, owner_id, type, member_count }
}

/** The house over HTTP for the member whose facts these are. */
export function serializeHouseDetail(contents: HouseContents, facts: HouseContext): HouseDetail {
  return {
    ...serializeHouseSummary(contents.house),
    default_permissions: contents.house.default_permissions,
    ...readableParts(contents, facts, readableRooms(facts, contents.rooms)),
    permissions: housePermissions(facts),
  }
}

/** The house on the gateway for the member whose facts these are, still without its members. */
export function serializeGatewayHouse(
  contents: HouseContents,
  facts: HouseContext,
): Omit<GatewayHouse, 'members'> {
  const { id, name, owner_id, icon, type, default_permissions } = contents.house
  const own = new Set([facts.user_id, ...facts.roles.map((one) => one.id)])
  const rooms = withShownOverrides(readableRooms(facts, contents.rooms), own)
  return {
    id,
    name,
    owner_id,
    icon,
    banner: null,
    type,
    default_permissions,
    ...readableParts(contents, facts, rooms),
  }
}

/** The rooms that the member can read, entities with pointers to none but those, and the roles. */
function readableParts(contents: HouseContents, facts: HouseContext, rooms: readonly RoomRow[]) {
  const ids = new Set(rooms.map((row) => row.id))
  return {
    rooms: rooms.map((row) => serializeRoom(row, facts.user_id)),
    entities: contents.entities.map((row) => serializeEntity(row, ids)),
    roles: contents.roles.map(serializeRole),
  }
}
