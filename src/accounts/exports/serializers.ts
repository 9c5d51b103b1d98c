import type { ExportRow } from './queries.ts'
import type { AccountExport } from './schemas.ts'

/** The export of a user. `origin` is the server's public address. */
export function serializeExport(userId: string, row: ExportRow | undefined, origin: string): AccountExport {
  if (!row) return { state: 'none', url: null, expires_at: null, progress: 0 }
  const { key, progress, expires_at } = row
  if (expires_at === null) return { state: 'waiting', url: null, expires_at: null, progress }
  const url = `${origin}/v1/exports/${userId}?key=${key}`
  return { state: 'ready', url, expires_at: expires_at.toISOString(), progress }
}
