import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { type GatewayUserRow, gatewayUserColumns } from './queries.ts'

/** A `GatewayUserRow` in a column, of the joined `users`. */
export const gatewayUserJson = sql<GatewayUserRow>`
  json_build_object('id', users.id::text, 'username', users.username, 'name', users.name, 'icon', users.icon,
    'header', users.header, 'flags', users.flags, 'bot', users.bot, 'bio', users.bio, 'website', users.website,
    'location', users.location)`

/** These users as others see them on the gateway, in no order. */
export function listGatewayUsers(db: Db, ids: readonly string[]): Promise<GatewayUserRow[]> {
  return db
    .selectFrom('users')
    .select(gatewayUserColumns)
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
}
