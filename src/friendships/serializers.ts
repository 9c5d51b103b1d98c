import type { GatewayUserRow } from '../users/queries.ts'
import { serializeGatewayUser } from '../users/serializers.ts'
import type { Relation } from './queries.ts'
import type { Relationship } from './schemas.ts'

/** The relation of the receiver to another user. */
export function serializeRelationship(
  other: GatewayUserRow,
  relation: Relation,
  receiverId: string,
): Relationship {
  return {
    id: other.id,
    user_id: other.id,
    recipient_id: receiverId,
    user: serializeGatewayUser(other),
    type: relation.type,
    last_updated_at: relation.last_updated_at.toISOString(),
  }
}
