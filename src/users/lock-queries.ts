import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { isGreaterId } from '../ids.ts'
import { type GatewayUserRow, gatewayUserColumns } from './queries.ts'

/**
 * Locks accounts in id order, against changes of their relations and against deletion, and returns those that are not
 * deleted, by id. Inserts of rows that refer to a user do not wait. Accounts of webhooks, which own themselves, are left
 * out: nobody can have a relation to them.
 */
export function lockUsers(db: Db, ids: readonly string[]): Promise<GatewayUserRow[]> {
  return selectPresent(db, ids).forNoKeyUpdate().execute()
}

/** Locks accounts in id order against `lockUsers`, but not against other shared locks. Returns the same. */
export function shareUserLocks(db: Db, ids: readonly string[]): Promise<GatewayUserRow[]> {
  return selectPresent(db, ids).forShare().execute()
}

/** Locks one account as `lockUsers` does and others as `shareUserLocks`, all in id order. Returns the same. */
export async function lockUserAmong(
  db: Db,
  id: string,
  otherIds: readonly string[],
): Promise<GatewayUserRow[]> {
  const smaller = otherIds.filter((other) => isGreaterId(id, other))
  const greater = otherIds.filter((other) => isGreaterId(other, id))
  const before = await shareUserLocks(db, smaller)
  const locked = await lockUsers(db, [id])
  return [...before, ...locked, ...(await shareUserLocks(db, greater))]
}

function selectPresent(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('users')
    .select(gatewayUserColumns)
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .where('deleted_at', 'is', null)
    .where('owner_id', 'is distinct from', (eb) => eb.ref('users.id'))
    .orderBy('id')
}
