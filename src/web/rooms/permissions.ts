// The functions on rows are the server's own: pure, without an import, and so the same on both sides.
import {
  canRemove,
  hasBits,
  housePermissions,
  outranks,
  permission,
  roomPermissions,
} from '../../houses/permissions.ts'
import type { House, Role, Room } from '../state/state.ts'
import { store } from '../state/store.ts'

/** What determines a member's permissions in a house: one's own, unless somebody else is named. */
export function factsIn(house: House, userId = store.me.value?.id ?? '') {
  const member = store.members.value[house.id]?.[userId]
  const ids = new Set(member?.roles.map(({ id }) => id))
  const roles = house.roles.filter(({ id }) => ids.has(id))
  return { user_id: userId, owner_id: house.owner_id, default_permissions: house.default_permissions, roles }
}

/** What one may do in a house. */
export function bitsInHouse(house: House): number {
  return housePermissions(factsIn(house))
}

/** Whether one may remove a member, by the bit that this kind of removal asks for. */
export function mayRemove(house: House, userId: string, bit: number): boolean {
  const isMember = store.members.value[house.id]?.[userId] !== undefined
  return isMember && hasBits(bitsInHouse(house), bit) && canRemove(factsIn(house), factsIn(house, userId))
}

/** Whether one may give and take a role. */
export function mayHandleRole(house: House, role: Role): boolean {
  return hasBits(bitsInHouse(house), permission.MANAGE_ROLES) && outranks(factsIn(house), role.position)
}

/** Whether one may do all of this in a room. Private rooms allow everything but what only houses have. */
export function mayInRoom(room: Room, wanted: number): boolean {
  if (room.house_id === null) return hasBits(privateBits, wanted)
  const house = store.houses.value[room.house_id]
  if (!house) return false
  const { allow: default_allow = 0, deny: default_deny = 0 } = room.default_permission_override ?? {}
  const facts = { default_allow, default_deny, permission_overrides: room.permission_overrides }
  return hasBits(roomPermissions(factsIn(house), facts), wanted)
}

const privateBits = permission.SEND_MESSAGES | permission.READ_MESSAGES | permission.ATTACH_MEDIA
