import { sql } from 'kysely'
import { byteaLiterals, hexOf } from '../db/bytea.ts'
import type { Db } from '../db/client.ts'
import { coalesce, inOrderOf } from '../db/coalesce.ts'
import { prepareRead } from '../db/reads.ts'

/** Who makes a request, and through which login session; `is_idle`: it was last noted as seen five minutes ago or more. */
export type Caller = { id: string; session_id: string; bot: boolean; is_idle: boolean }

/** Whether a login session is worth noting as seen again. */
export const isIdle = sql<boolean>`sessions.last_seen_at < now() - interval '5 minutes'`

const readCallers = prepareRead(({ hashes }: { hashes: readonly string[] }) => {
  return sql<Caller & { hash: string }>`
    select users.id, sessions.id as session_id, users.bot, ${isIdle} as is_idle, ${hexOf('token_hash')} as hash
    from sessions join users on users.id = sessions.user_id
    where token_hash = any(${hashes}::bytea[]) and deleted_at is null`
})

/** The caller a token hash (hex) belongs to, or undefined. */
export const findCaller = coalesce<string, Caller | undefined>(async (db: Db, hashes) => {
  return inOrderOf(hashes, await readCallers(db, { hashes: byteaLiterals(hashes) }), (row) => row.hash)
})

/** Notes that login sessions are in use. */
export async function touchSessions(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ last_seen_at: sql<Date>`now()` })
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
}
