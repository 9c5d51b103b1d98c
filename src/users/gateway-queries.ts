import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { type GatewayUserRow, gatewayUserColumns } from './queries.ts'

/** These users as others see them on the gateway, in no order. */
export function listGatewayUsers(db: Db, ids: readonly string[]): Promise<GatewayUserRow[]> {
  return db
    .selectFrom('users')
    .select(gatewayUserColumns)
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
}
