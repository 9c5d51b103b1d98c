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

/** The house over HTTP for a member. */
export function serializeHouseDetail(contents: HouseContents, member: HouseContext): HouseDetail {
  return {
    ...serializeHouseSummary(contents.house),
    default_permissions: contents.house.default_permissions,
    ...readableParts(contents, member, readableRooms(member, contents.rooms)),
    permissions: housePermissions(member),
  }
}

/** The house on the gateway for a member, without the list of members. */
export function serializeGatewayHouse(
  contents: HouseContents,
  member: HouseContext,
): Omit<GatewayHouse, 'members'> {
  const { id, name, owner_id, icon, type, default_permissions } = contents.house
  const own = new Set([member.user_id, ...member.roles.map((one) => one.id)])
  const rooms = withShownOverrides(readableRooms(member, contents.rooms), own)
  return {
    id,
    name,
    owner_id,
    icon,
    banner: null,
    type,
    default_permissions,
    ...readableParts(contents, member, rooms),
  }
}

/** The given rooms, entities with pointers to these rooms only, and the roles. */
function readableParts(contents: HouseContents, member: HouseContext, rooms: readonly RoomRow[]) {
  const ids = new Set(rooms.map((row) => row.id))
  return {
    rooms: rooms.map((row) => serializeRoom(row, member.user_id)),
    entities: contents.entities.map((row) => serializeEntity(row, ids)),
    roles: contents.roles.map(serializeRole),
  }
}
