import { permission } from '../../houses/permissions.ts'
import { bitsInHouse } from '../rooms/permissions.ts'
import type { House } from '../state/state.ts'
import { store } from '../state/store.ts'

/** For each section of the settings of a house, the permissions of which one is enough to see it. */
const needed = {
  overview: permission.ADMINISTRATOR,
  rooms: permission.MANAGE_ROOMS,
  roles: permission.MANAGE_ROLES | permission.ADMINISTRATOR,
  members: permission.KICK_MEMBERS | permission.EVICT_MEMBERS | permission.MANAGE_ROLES,
  bans: permission.EVICT_MEMBERS,
  invites: permission.MANAGE_INVITES,
  overrides: permission.MANAGE_ROOMS | permission.MANAGE_USER_OVERRIDES,
  bots: permission.MANAGE_BOTS,
  webhooks: permission.MANAGE_INTEGRATIONS,
  'audit-log': permission.ADMINISTRATOR,
  // Only for the owner, whatever the permissions of others.
  owner: 0,
} as const

export type HouseSection = keyof typeof needed

/** The sections of the settings of a house that somebody can do something in. */
export function houseSections(house: House): HouseSection[] {
  const bits = bitsInHouse(house)
  return (Object.keys(needed) as HouseSection[]).filter((section) =>
    section === 'owner' ? isOwnHouse(house) : (bits & needed[section]) !== 0,
  )
}

function isOwnHouse(house: House): boolean {
  return house.owner_id === store.me.value?.id
}
