import { entity } from '../entities/forms.ts'
import { role } from '../roles/forms.ts'
import { room } from '../rooms/forms.ts'
import { readableRooms } from '../rooms/permissions.ts'
import type { HouseContents } from './contents-queries.ts'
import { type HouseFacts, housePermissions } from './permissions.ts'
import type { HouseSummaryRow } from './queries.ts'
import type { GatewayHouse, HouseDetail, HouseSummary } from './schemas.ts'

export function houseSummary(row: HouseSummaryRow): HouseSummary {
  const { id, name, description, icon, owner_id, type, member_count } = row
  return { id, name, description, icon, banner: null, owner_id, type, member_count }
}

/** The house over HTTP for the member whose facts these are. */
export function houseDetail(contents: HouseContents, facts: HouseFacts): HouseDetail {
  return {
    ...houseSummary(contents.house),
    default_permissions: contents.house.default_permissions,
    ...readableParts(contents, facts),
    permissions: housePermissions(facts),
  }
}

/** The house on the gateway for the member whose facts these are, still without its members. */
export function gatewayHouse(contents: HouseContents, facts: HouseFacts): Omit<GatewayHouse, 'members'> {
  const { id, name, owner_id, icon, type, default_permissions } = contents.house
  return {
    id,
    name,
    owner_id,
    icon,
    banner: null,
    type,
    default_permissions,
    ...readableParts(contents, facts),
  }
}

/** Rooms the member can read, entities with pointers to none but those, and the roles. */
function readableParts(contents: HouseContents, facts: HouseFacts) {
  const rooms = readableRooms(facts, contents.rooms)
  const ids = new Set(rooms.map((row) => row.id))
  return {
    rooms: rooms.map((row) => room(row, facts.user_id)),
    entities: contents.entities.map((row) => entity(row, ids)),
    roles: contents.roles.map(role),
  }
}
