import { serializeCompactUser } from '../../users/serializers.ts'
import type { BanRow } from './queries.ts'
import type { Ban } from './schemas.ts'

export function serializeBan(row: BanRow): Ban {
  const { house_id, user_id, reason, created_by } = row
  return {
    house_id,
    user_id,
    user: serializeCompactUser(row.user),
    reason,
    created_by,
    created_at: row.created_at.toISOString(),
  }
}
