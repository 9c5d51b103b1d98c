import { idTimeMs } from '../../ids.ts'
import { serializeCompactUser } from '../../users/serializers.ts'
import type { AuditLogRow } from './queries.ts'
import type { AuditLogEntry } from './schemas.ts'

export function serializeAuditLogEntry(row: AuditLogRow): AuditLogEntry {
  const { id, house_id, action, target_id, target_type, changes, reason } = row
  const actor = serializeCompactUser(row.actor)
  const created_at = new Date(idTimeMs(id)).toISOString()
  return { id, house_id, action, actor, target_id, target_type, changes, reason, created_at }
}
