import pg from 'pg'
import type { Target } from './database-url.ts'

/** What a server says of itself. `timeline` is null for one in recovery, and where it is not known. */
export type ServerState = { inRecovery: boolean; readOnly: boolean; timeline: number | null }

// The names of WAL files begin with the timeline. The control file, too, knows it, but only after a checkpoint.
const stateWithTimeline = `select pg_is_in_recovery() as "inRecovery",
  current_setting('transaction_read_only') = 'on' as "readOnly",
  case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as "walFile"`
const stateOnly = `select pg_is_in_recovery() as "inRecovery",
  current_setting('transaction_read_only') = 'on' as "readOnly", null as "walFile"`

type StateRow = Pick<ServerState, 'inRecovery' | 'readOnly'> & { walFile: string | null }

/** Asks a server what it is. */
export async function readServerState(client: pg.Client): Promise<ServerState> {
  const { rows } = await client.query<StateRow>(stateWithTimeline).catch((error: unknown) => {
    // Some managed services have no WAL of their own, or none that others may look at.
    if (!(error instanceof pg.DatabaseError) || !/^(0A|42)/.test(error.code ?? '')) throw error
    return client.query<StateRow>(stateOnly)
  })
  const { walFile, ...state } = rows[0]!
  return { ...state, timeline: walFile === null ? null : Number.parseInt(walFile.slice(0, 8), 16) }
}

/** Why a server is not the one that is wanted, for the log; undefined where it is. */
export function findUnfit({ inRecovery, readOnly }: ServerState, target: Target): string | undefined {
  const cannotWrite = inRecovery || readOnly
  if (target === 'primary' && inRecovery) return 'is a standby'
  if (target === 'read-write' && cannotWrite) return inRecovery ? 'is a standby' : 'may only be read'
  if (target === 'standby' && !inRecovery) return 'is not a standby'
  if (target === 'read-only' && !cannotWrite) return 'may be written'
  return undefined
}
