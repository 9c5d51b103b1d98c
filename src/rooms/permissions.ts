import {
  type HouseContext,
  hasBits,
  permission,
  permissionsInRooms,
  type RoomContext,
  roomPermissions,
} from '../houses/permissions.ts'
import type { RoomAccessRow } from './queries.ts'

/** Room types (docs/api.md#enumerations). */
export const roomType = { house: 0, oneToOne: 1, group: 2 } as const

/** The caller's bits in a house room; 0 if they cannot read it. Private rooms have no bits. */
export function permissionsInRoom(access: RoomAccessRow): number {
  const member = houseContext(access)
  return member ? roomPermissions(member, access) : 0
}

/** The caller as a member of the room's house; undefined if they are not, and in private rooms. */
export function houseContext(access: RoomAccessRow): HouseContext | undefined {
  const { house_owner_id, default_permissions } = access
  if (!access.is_inside || house_owner_id === null || default_permissions === null) return undefined
  return { user_id: access.user_id, owner_id: house_owner_id, default_permissions, roles: access.roles }
}

/** The rooms of a house that a member can read, in the given order. */
export function readableRooms<Row extends RoomContext>(member: HouseContext, rooms: readonly Row[]): Row[] {
  const bitsIn = permissionsInRooms(member)
  return rooms.filter((room) => bitsIn(room) !== 0)
}

/** Whether the caller can read the room; undefined: no such room. */
export function canRead(access: RoomAccessRow | undefined): access is RoomAccessRow {
  if (!access?.is_inside) return false
  return access.house_id === null || permissionsInRoom(access) !== 0
}

/** Whether the caller may send messages and typing. */
export function canSend(access: RoomAccessRow): boolean {
  if (access.house_id === null) return access.is_inside && access.cut_off_by === null
  return hasBits(permissionsInRoom(access), permission.SEND_MESSAGES)
}

/** Whether a caller who can read the room may edit their messages: not in a one-to-one room with a block. */
export function canEdit(access: RoomAccessRow): boolean {
  return access.cut_off_by !== 'block'
}

/** Whether the caller may send attachments. */
export function canAttach(access: RoomAccessRow): boolean {
  if (access.house_id === null) return canSend(access)
  return hasBits(permissionsInRoom(access), permission.SEND_MESSAGES | permission.ATTACH_MEDIA)
}

/** Whether the caller may pin and unpin messages: in a private room every participant may. */
export function canPin(access: RoomAccessRow): boolean {
  if (access.house_id === null) return access.is_inside
  return hasBits(permissionsInRoom(access), permission.MODERATE_ROOM)
}

/** Whether the caller may delete messages of others. */
export function canModerate(access: RoomAccessRow): boolean {
  if (access.house_id === null) return access.is_inside && access.group_owner_id === access.user_id
  return hasBits(permissionsInRoom(access), permission.MODERATE_ROOM)
}
