import { idTimeMs } from '../ids.ts'
import type { LoginSession } from './schemas.ts'
import type { SessionRow } from './session-queries.ts'

/** A login session as its owner sees it, from the session with this id. */
export function loginSession(row: SessionRow, currentId: string): LoginSession {
  return {
    id: row.id,
    created_at: new Date(idTimeMs(row.id)).toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    client: row.client,
    address: row.address,
    current: row.id === currentId,
  }
}
