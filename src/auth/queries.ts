import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { coalesce } from '../db/coalesce.ts'

/** Who makes a request, and through which login session. */
export type Caller = { id: string; session_id: string; bot: boolean }

/** The caller a token hash (hex) belongs to, or undefined. */
export const findCaller = coalesce<string, Caller | undefined>(async (db: Db, hashes) => {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'sessions.id as session_id', 'users.bot', 'sessions.token_hash'])
    .where(
      'sessions.token_hash',
      '=',
      sql<Buffer>`any(${hashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[])`,
    )
    .where('users.deleted_at', 'is', null)
    .execute()
  const byHash = new Map(rows.map(({ token_hash, ...caller }) => [token_hash.toString('hex'), caller]))
  return hashes.map((hash) => byHash.get(hash))
})
