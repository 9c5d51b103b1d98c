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
/** Bits 0, 1, 6, 12, 13, 15, 17: what everybody in a new house may do. */
export const newHousePermissions = 176195

export type AllowDeny = { allow: number; deny: number }
type RankedRole = AllowDeny & { id: string; position: number }

/** The facts that determine the permissions of a member in a house; `roles` in any order. */
export type HouseContext = {
  user_id: string
  owner_id: string
  default_permissions: number
  roles: readonly RankedRole[]
}

/** The facts that a room adds. */
export type RoomContext = {
  default_allow: number
  default_deny: number
  permission_overrides: Record<string, AllowDeny & { type: number }> | null
}

/** A member's bits in the house. */
export function housePermissions(facts: HouseContext): number {
  if (facts.user_id === facts.owner_id) return allPermissions
  const bits = inRisingRank(facts.roles).reduce(apply, facts.default_permissions)
  return hasBits(bits, permission.ADMINISTRATOR) ? allPermissions : bits
}

/** A member's bits in a room of the house; 0 when the room does not exist for them. */
export function roomPermissions(facts: HouseContext, room: RoomContext): number {
  return permissionsInRooms(facts)(room)
}

/** The same for one room after another: what is the same in all of them is worked out once. */
export function permissionsInRooms(facts: HouseContext): (room: RoomContext) => number {
  const inHouse = housePermissions(facts)
  if (hasBits(inHouse, permission.ADMINISTRATOR)) return () => allPermissions
  const roles = inRisingRank(facts.roles)
  return (room) => {
    const overrides = room.permission_overrides ?? {}
    let bits = apply(inHouse, { allow: room.default_allow, deny: room.default_deny })
    for (const role of roles) {
      const override = overrides[role.id]
      if (override?.type === 0) bits = apply(bits, override)
    }
    const own = overrides[facts.user_id]
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

/** Lowest position first, of equal ones the newer first, so that the highest and oldest has the last word. */
function inRisingRank(roles: readonly RankedRole[]): RankedRole[] {
  return [...roles].sort((a, b) => a.position - b.position || (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
}

/** Where a member stands: the owner above all, else the highest position among their roles, −1 without roles. */
export function rank(facts: HouseContext): number {
  if (facts.user_id === facts.owner_id) return Number.POSITIVE_INFINITY
  return facts.roles.reduce((highest, role) => Math.max(highest, role.position), -1)
}

/** Whether a member holds all of these bits in the house. */
export function hasPermission(facts: HouseContext, wanted: number): boolean {
  return hasBits(housePermissions(facts), wanted)
}

/** Whether a member stands strictly above a position: of a role, or of another member by `rank`. */
export function outranks(facts: HouseContext, position: number): boolean {
  return rank(facts) > position
}

export const noBits: AllowDeny = { allow: 0, deny: 0 }

/** Every bit that differs between two settings. */
export function changedBits(before: AllowDeny, after: AllowDeny): number {
  return (before.allow ^ after.allow) | (before.deny ^ after.deny)
}

/** Whether a member may turn one setting into another: nobody grants, or takes away, what they lack. */
export function canChangeBits(facts: HouseContext, before: AllowDeny, after: AllowDeny): boolean {
  return hasPermission(facts, changedBits(before, after))
}

/** Whether a setting allows and denies the same bit. */
export function isContradictory({ allow, deny }: AllowDeny): boolean {
  return (allow & deny) !== 0
}

/** Whether somebody, if a member at all, may edit the house. */
export function canEditHouse(facts: HouseContext | undefined): boolean {
  return facts !== undefined && hasBits(housePermissions(facts), permission.ADMINISTRATOR)
}

/** Whether a member stands above another, so that they could remove them: never oneself, never the owner. */
export function canRemove(facts: HouseContext, target: HouseContext): boolean {
  return outranks(facts, rank(target))
}
