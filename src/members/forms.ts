import { presenceOf } from '../events/presence.ts'
import { gatewayUser } from '../users/forms.ts'
import type { GatewayUserRow } from '../users/queries.ts'
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
    roles: row.role_ids,
    presence: presenceOf(row.user_id),
    last_permission_update: row.last_permission_update?.toISOString() ?? null,
    joined_at: row.joined_at.toISOString(),
  }
}

/** What stands for a member in a private room's messages: existing clients' receive loops die without one. */
export function privateRoomMember(user: GatewayUserRow, enteredAt: Date): Member {
  return {
    id: user.id,
    user_id: user.id,
    house_id: null,
    user: gatewayUser(user),
    roles: [],
    presence: presenceOf(user.id),
    last_permission_update: null,
    joined_at: enteredAt.toISOString(),
  }
}
