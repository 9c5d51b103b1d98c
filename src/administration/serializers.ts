import { serializeHouseSummary } from '../houses/serializers.ts'
import { idTimeMs } from '../ids.ts'
import { serializeOwnUser } from '../users/serializers.ts'
import type { AdministeredUserRow } from './accounts/queries.ts'
import type { ServerAuditRow } from './audit-log/queries.ts'
import type { AdministeredHouseRow } from './houses/queries.ts'
import type { AdministeredHouse, AdministeredUser, ServerAuditEntry } from './schemas.ts'

const timeOf = (id: string) => new Date(idTimeMs(id)).toISOString()

export function serializeAdministeredUser(row: AdministeredUserRow): AdministeredUser {
  const { disabled, admin, last_seen_at, storage_bytes, ...user } = row
  return {
    user: serializeOwnUser(user),
    email: row.email ?? '',
    disabled,
    admin,
    created_at: timeOf(row.id),
    last_seen_at: last_seen_at?.toISOString() ?? null,
    storage_bytes,
  }
}

export function serializeAdministeredHouse(row: AdministeredHouseRow): AdministeredHouse {
  const { owner, member_count, messages, storage_bytes } = row
  return { house: serializeHouseSummary(row), owner, members: member_count, messages, storage_bytes }
}

export function serializeServerAuditEntry(row: ServerAuditRow): ServerAuditEntry {
  const { id, action, actor, target_id, target_type, changes } = row
  return {
    id,
    house_id: null,
    action,
    actor,
    target_id,
    target_type,
    changes,
    reason: null,
    created_at: timeOf(id),
  }
}
