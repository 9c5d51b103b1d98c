import { idTimeMs } from '../ids.ts'
import type { LoginSession } from './schemas.ts'
import type { SessionRow } from './sessions/queries.ts'

/** A login session as its owner sees it, from the session with this id. */
export function serializeLoginSession(row: SessionRow, currentId: string): LoginSession {
  const created = new Date(idTimeMs(row.id))
  // The one time is this process's, the other PostgreSQL's.
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
