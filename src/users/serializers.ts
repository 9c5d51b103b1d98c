import { presenceOf } from '../events/presence.ts'
import type { FullUserRow, GatewayUserRow } from './queries.ts'
import type { CompactUser, FullUser, GatewayUser } from './schemas.ts'

/** The full user as its owner sees it. */
export function serializeOwnUser(row: FullUserRow): FullUser {
  return { ...row, email: row.email ?? '' }
}

/** The full user as everybody else sees it: the private fields are there, but empty. */
export function serializePublicUser(row: FullUserRow): FullUser {
  return { ...row, email: '', email_verified: false, mfa_enabled: false }
}

/** The seven public fields. */
export function serializeCompactUser(row: CompactUser): CompactUser {
  const { icon, id, username, name, header, flags, bot } = row
  return { icon, id, username, name, header, flags, bot }
}

/** The user as others see it on the gateway, with the presence of this moment. */
export function serializeGatewayUser(row: GatewayUserRow): GatewayUser {
  const { id, username, name, icon, header, flags, bot, bio, website, location } = row
  return {
    id,
    username,
    name,
    icon,
    header,
    flags,
    // existing clients need this because older ones read the flags under this key, as text
    user_flags: String(flags),
    bot,
    presence: presenceOf(id),
    bio,
    website,
    location,
    email_verified: false,
  }
}

/** The user as they themself see it on the gateway. */
export function serializeOwnGatewayUser(row: GatewayUserRow & { email_verified: boolean }): GatewayUser {
  return { ...serializeGatewayUser(row), email_verified: row.email_verified }
}
