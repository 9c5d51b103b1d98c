import { sql } from 'kysely'
import { byteaLiterals, hexOf } from '../db/bytea.ts'
import type { Db } from '../db/client.ts'
import { coalesce, inOrderOf } from '../db/coalesce.ts'

/** Who makes a request, and through which login session. */
export type Caller = { id: string; session_id: string; bot: boolean }

/** The caller a token hash (hex) belongs to, or undefined. */
export const findCaller = coalesce<string, Caller | undefined>(async (db: Db, hashes) => {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'sessions.id as session_id', 'users.bot', hexOf('sessions.token_hash').as('hash')])
    .where('sessions.token_hash', '=', sql<Buffer>`any(${byteaLiterals(hashes)}::bytea[])`)
    .where('users.deleted_at', 'is', null)
    .execute()
  return inOrderOf(hashes, rows, (row) => row.hash)
})
