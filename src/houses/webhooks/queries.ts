import { sql } from 'kysely'
import { coalesce, orderByKeys } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'
import { type GatewayUserRow, gatewayUserSelection } from '../../users/queries.ts'

/** A webhook with the name and icon of its account. */
export type WebhookRow = {
  id: string
  house_id: string
  room_id: string
  name: string
  icon: string | null
}

function selectWebhooks(db: Db) {
  return db
    .selectFrom('webhooks')
    .innerJoin('users', 'users.id', 'webhooks.id')
    .select(['webhooks.id', 'webhooks.house_id', 'webhooks.room_id', 'users.name', 'users.icon'])
    .orderBy('webhooks.id')
}

/** The webhooks of a house, oldest first. */
export function listWebhooks(db: Db, houseId: string): Promise<WebhookRow[]> {
  return selectWebhooks(db).where('webhooks.house_id', '=', houseId).execute()
}

/** The webhooks that write into a room, oldest first. */
export function listWebhooksOfRoom(db: Db, roomId: string): Promise<WebhookRow[]> {
  return selectWebhooks(db).where('webhooks.room_id', '=', roomId).execute()
}

/** A webhook of a house, or undefined. */
export function findWebhook(db: Db, houseId: string, id: string): Promise<WebhookRow | undefined> {
  return selectWebhooks(db)
    .where('webhooks.house_id', '=', houseId)
    .where('webhooks.id', '=', id)
    .executeTakeFirst()
}

/** What executing a webhook needs: its account, its room, and the hash of its token. */
export type ExecutableRow = GatewayUserRow & {
  house_id: string
  house_owner_id: string
  room_id: string
  token_hash: Buffer
}

/** A webhook by id, or undefined. */
export const findExecutable = coalesce<string, ExecutableRow | undefined>(async (db: Db, ids) => {
  const { rows } = await sql<ExecutableRow>`
    select ${gatewayUserSelection}, webhooks.house_id, webhooks.room_id, webhooks.token_hash,
      houses.owner_id as house_owner_id
    from webhooks join users on users.id = webhooks.id join houses on houses.id = webhooks.house_id
    where webhooks.id = any(${ids}::bigint[])`.execute(db)
  return orderByKeys(ids, rows, (row) => row.id)
})

/** How many webhooks a house has. */
export async function countWebhooks(db: Db, houseId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from webhooks where house_id = ${houseId}`.execute(db)
  return rows[0]!.count
}

export async function insertWebhook(
  db: Db,
  webhook: { id: string; house_id: string; room_id: string; token_hash: Buffer },
): Promise<void> {
  await db.insertInto('webhooks').values(webhook).execute()
}

export async function updateWebhook(
  db: Db,
  id: string,
  changes: { room_id?: string; token_hash?: Buffer },
): Promise<void> {
  await db.updateTable('webhooks').set(changes).where('id', '=', id).execute()
}

/** Removes webhooks; their accounts stay, as their messages need an author. */
export async function deleteWebhooks(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from webhooks where id = any(${ids}::bigint[])`.execute(db)
}
