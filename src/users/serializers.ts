import { presenceOf } from '../events/presence.ts'
import type { FullUserRow, GatewayUserRow } from './queries.ts'
import type { CompactUser, FullUser, GatewayUser } from './schemas.ts'

/** The full user for the user themselves. */
export function serializeOwnUser(row: FullUserRow): FullUser {
  return { ...row, email: row.email ?? '' }
}

/** The full user for everybody else: the private fields are present but empty. */
export function serializePublicUser(row: FullUserRow): FullUser {
  return { ...row, email: '', email_verified: false, mfa_enabled: false }
}

/** The compact user: the seven public fields. */
export function serializeCompactUser(row: CompactUser): CompactUser {
  const { icon, id, username, name, header, flags, bot } = row
  return { icon, id, username, name, header, flags, bot }
}

/** The gateway user for others, with the present presence. */
export function serializeGatewayUser(row: GatewayUserRow): GatewayUser {
  const { id, username, name, icon, header, flags, bot, bio, website, location } = row
  return {
    id,
    username,
    name,
    icon,
    header,
    flags,
    // Older clients read the flags under this key, as text.
    user_flags: String(flags),
    bot,
    presence: presenceOf(id),
    bio,
    website,
    location,
    email_verified: false,
  }
}

/** The gateway user for the user themselves. */
export function serializeOwnGatewayUser(row: GatewayUserRow & { email_verified: boolean }): GatewayUser {
  return { ...serializeGatewayUser(row), email_verified: row.email_verified }
}
