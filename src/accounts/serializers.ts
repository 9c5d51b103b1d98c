import { idTimeMs } from '../ids.ts'
import type { LoginSession } from './schemas.ts'
import type { SessionRow } from './sessions/queries.ts'

/** A login session for its owner; `currentId` is the login session of the request. */
export function serializeLoginSession(row: SessionRow, currentId: string): LoginSession {
  const created = new Date(idTimeMs(row.id))
  // The id has the time of this process, `last_seen_at` that of PostgreSQL, which may be behind.
  const lastSeen = row.last_seen_at > created ? row.last_seen_at : created
  return {
    id: row.id,
    created_at: created.toISOString(),
    last_seen_at: lastSeen.toISOString(),
    client: row.client,
    address: row.address,
    current: row.id === currentId,
  }
}
