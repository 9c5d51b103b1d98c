import { presenceOf } from '../../events/presence.ts'
import { serializeGatewayUser } from '../../users/serializers.ts'
import { serializeRole } from '../roles/serializers.ts'
import type { MemberRow } from './queries.ts'
import type { Member } from './schemas.ts'

/** A member with the present presence. */
export function serializeMember(row: MemberRow): Member {
  return {
    // Existing clients use the user id as the member id.
    id: row.user_id,
    user_id: row.user_id,
    house_id: row.house_id,
    user: serializeGatewayUser(row.user),
    roles: row.roles.map(serializeRole),
    presence: presenceOf(row.user_id),
    last_permission_update: row.last_permission_update?.toISOString() ?? null,
    joined_at: row.joined_at.toISOString(),
  }
}
