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

/** A caller's bits in a house room; 0 when it does not exist for them. Private rooms have no bits. */
export function permissionsInRoom(access: RoomAccessRow): number {
  const facts = houseContext(access)
  return facts ? roomPermissions(facts, access) : 0
}

/** The facts about the caller in the house of the room; undefined outside of it, and in private rooms. */
export function houseContext(access: RoomAccessRow): HouseContext | undefined {
  const { house_owner_id, default_permissions } = access
  if (!access.is_inside || house_owner_id === null || default_permissions === null) return undefined
  return { user_id: access.user_id, owner_id: house_owner_id, default_permissions, roles: access.roles }
}

/** Those of the rooms of a house that a member can read, in their order. */
export function readableRooms<Row extends RoomContext>(facts: HouseContext, rooms: readonly Row[]): Row[] {
  const bitsIn = permissionsInRooms(facts)
  return rooms.filter((room) => bitsIn(room) !== 0)
}

/** Whether the room exists for the caller: they can read it. */
export function canRead(access: RoomAccessRow | undefined): access is RoomAccessRow {
  if (!access?.is_inside) return false
  return access.house_id === null || permissionsInRoom(access) !== 0
}

/** Whether the caller may send there, and type. */
export function canSend(access: RoomAccessRow): boolean {
  if (access.house_id === null) return access.is_inside && access.cut_off_by === null
  return hasBits(permissionsInRoom(access), permission.SEND_MESSAGES)
}

/** Whether the caller may edit their messages there, if they can read it: not past a block in a one-to-one room. */
export function canEdit(access: RoomAccessRow): boolean {
  return access.cut_off_by !== 'block'
}

/** Whether the caller may send attachments there. */
export function canAttach(access: RoomAccessRow): boolean {
  if (access.house_id === null) return canSend(access)
  return hasBits(permissionsInRoom(access), permission.SEND_MESSAGES | permission.ATTACH_MEDIA)
}

/** Whether the caller may pin messages there, and unpin them: in a private room every participant may. */
export function canPin(access: RoomAccessRow): boolean {
  if (access.house_id === null) return access.is_inside
  return hasBits(permissionsInRoom(access), permission.MODERATE_ROOM)
}

/** Whether the caller may delete other people's messages there. */
export function canModerate(access: RoomAccessRow): boolean {
  if (access.house_id === null) return access.is_inside && access.group_owner_id === access.user_id
  return hasBits(permissionsInRoom(access), permission.MODERATE_ROOM)
}
