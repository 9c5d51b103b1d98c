import { presenceOf } from '../events/presence.ts'
import { role } from '../roles/forms.ts'
import { gatewayUser } from '../users/forms.ts'
import type { MemberRow } from './queries.ts'
import type { Member } from './schemas.ts'

/** A member with the presence of this moment. */
export function member(row: MemberRow): Member {
  return {
    // existing clients key members by the user's id
    id: row.user_id,
    user_id: row.user_id,
    house_id: row.house_id,
    user: gatewayUser(row.user),
    roles: row.roles.map(role),
    presence: presenceOf(row.user_id),
    last_permission_update: row.last_permission_update?.toISOString() ?? null,
    joined_at: row.joined_at.toISOString(),
  }
}
