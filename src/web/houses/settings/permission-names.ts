import { hasBits, permission } from '../../../houses/permissions.ts'
import { st } from '../../texts/settings.ts'

export type AllowDeny = { allow: number; deny: number }
export type Name = keyof typeof permission

export const names = Object.keys(permission) as Name[]

/** Those that allow nothing here: what they are for is not there. */
const withoutEffect = new Set<Name>([
  'MANAGE_BILLING',
  'START_PORTAL',
  'STREAM_TO_PORTAL',
  'TAKEOVER_PORTAL',
  'POST_TO_FEED',
  'HERE_MENTIONS',
])
/** What can be offered in a house: docs/permissions.md#bits */
export const ofHouse = names.filter((name) => !withoutEffect.has(name))
/** What can differ from room to room. */
export const ofRoom: readonly Name[] = [
  'SEND_MESSAGES',
  'READ_MESSAGES',
  'MODERATE_ROOM',
  'ATTACH_MEDIA',
  'MANAGE_INTEGRATIONS',
  'MANAGE_ROOMS',
  'MANAGE_USER_OVERRIDES',
]

/** What the bits are called. */
export function namesOfBits(bits: number): string[] {
  return names.filter((name) => hasBits(bits, permission[name])).map((name) => st().permissionNames[name])
}
