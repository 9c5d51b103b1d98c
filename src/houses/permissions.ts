/** Permission bits by name (docs/permissions.md#bits). */
export const permission = {
  SEND_MESSAGES: 1 << 0,
  READ_MESSAGES: 1 << 1,
  ADMINISTRATOR: 1 << 2,
  MODERATE_ROOM: 1 << 3,
  EVICT_MEMBERS: 1 << 4,
  KICK_MEMBERS: 1 << 5,
  ATTACH_MEDIA: 1 << 6,
  MANAGE_ROLES: 1 << 7,
  MANAGE_BILLING: 1 << 8,
  MANAGE_BOTS: 1 << 9,
  MANAGE_INTEGRATIONS: 1 << 10,
  MANAGE_ROOMS: 1 << 11,
  START_PORTAL: 1 << 12,
  STREAM_TO_PORTAL: 1 << 13,
  TAKEOVER_PORTAL: 1 << 14,
  POST_TO_FEED: 1 << 15,
  MANAGE_USER_OVERRIDES: 1 << 16,
  CREATE_INVITES: 1 << 17,
  MANAGE_INVITES: 1 << 18,
  HERE_MENTIONS: 1 << 19,
} as const

export const allPermissions = 1048575
/** Bits 0, 1, 6, 12, 13, 15, 17: the default permissions of a new house. */
export const newHousePermissions = 176195

export type AllowDeny = { allow: number; deny: number }
type RankedRole = AllowDeny & { id: string; position: number }

/** What determines the permissions of a member in a house; `roles` in any order. */
export type HouseContext = {
  user_id: string
  owner_id: string
  default_permissions: number
  roles: readonly RankedRole[]
}

/** What determines the permissions of a member in a room, besides the house. */
export type RoomContext = {
  default_allow: number
  default_deny: number
  permission_overrides: Record<string, AllowDeny & { type: number }> | null
}

/** The bits of a member in the house (docs/permissions.md#effective-permissions). */
export function housePermissions(member: HouseContext): number {
  if (member.user_id === member.owner_id) return allPermissions
  const bits = byAscendingRank(member.roles).reduce(apply, member.default_permissions)
  return hasBits(bits, permission.ADMINISTRATOR) ? allPermissions : bits
}

/** The bits of a member in a room of the house; 0 if they cannot read it. */
export function roomPermissions(member: HouseContext, room: RoomContext): number {
  return permissionsInRooms(member)(room)
}

/** `roomPermissions` for many rooms: the part that all rooms share is computed once. */
export function permissionsInRooms(member: HouseContext): (room: RoomContext) => number {
  const houseBits = housePermissions(member)
  if (hasBits(houseBits, permission.ADMINISTRATOR)) return () => allPermissions
  const roles = byAscendingRank(member.roles)
  return (room) => {
    const overrides = room.permission_overrides ?? {}
    let bits = apply(houseBits, { allow: room.default_allow, deny: room.default_deny })
    for (const role of roles) {
      const override = overrides[role.id]
      if (override?.type === 0) bits = apply(bits, override)
    }
    const own = overrides[member.user_id]
    if (own?.type === 1) bits = apply(bits, own)
    bits &= ~permission.ADMINISTRATOR
    return hasBits(bits, permission.READ_MESSAGES) ? bits : 0
  }
}

/** Whether all of these bits are set. */
export function hasBits(bits: number, wanted: number): boolean {
  return (bits & wanted) === wanted
}

function apply(bits: number, change: AllowDeny): number {
  return (bits & ~change.deny) | change.allow
}

/** Lowest position first; of equal positions the newer role first, so that the highest and oldest role applies last. */
function byAscendingRank(roles: readonly RankedRole[]): RankedRole[] {
  return [...roles].sort((a, b) => a.position - b.position || (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
}

/** The rank of a member (docs/permissions.md#rank): infinity for the owner, else the highest role position, or −1. */
export function rank(member: HouseContext): number {
  if (member.user_id === member.owner_id) return Number.POSITIVE_INFINITY
  return member.roles.reduce((highest, role) => Math.max(highest, role.position), -1)
}

/** Whether a member has all of these bits in the house. */
export function hasPermission(member: HouseContext, wanted: number): boolean {
  return hasBits(housePermissions(member), wanted)
}

/** Whether a member ranks above a position: that of a role, or the `rank` of another member. */
export function outranks(member: HouseContext, position: number): boolean {
  return rank(member) > position
}

export const noBits: AllowDeny = { allow: 0, deny: 0 }

/** The bits that differ between two overrides. */
export function changedBits(before: AllowDeny, after: AllowDeny): number {
  return (before.allow ^ after.allow) | (before.deny ^ after.deny)
}

/** Whether a member may change one override into another: they must have every bit that changes. */
export function canChangeBits(member: HouseContext, before: AllowDeny, after: AllowDeny): boolean {
  return hasPermission(member, changedBits(before, after))
}

/** Whether a bit is both allowed and denied. */
export function isContradictory({ allow, deny }: AllowDeny): boolean {
  return (allow & deny) !== 0
}

/** Whether a user may update the house; undefined: not a member. */
export function canEditHouse(member: HouseContext | undefined): boolean {
  return member !== undefined && hasBits(housePermissions(member), permission.ADMINISTRATOR)
}

/** Whether a member sees who owns the bots of the house: with a permission to add bots, or to remove members. */
export function canSeeBotOwners(member: HouseContext): boolean {
  const { MANAGE_BOTS, KICK_MEMBERS, EVICT_MEMBERS } = permission
  return (housePermissions(member) & (MANAGE_BOTS | KICK_MEMBERS | EVICT_MEMBERS)) !== 0
}

/** Whether a member ranks above another one, as removing requires: never above themselves or the owner. */
export function canRemove(member: HouseContext, target: HouseContext): boolean {
  return outranks(member, rank(target))
}
