import { sql } from 'kysely'
import { coalesce, orderByKeys } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'
import { type RoomAccessRow, roomAccessColumns, roomAccessJoins } from '../../rooms/queries.ts'
import { type GatewayUserRow, gatewayUserJson } from '../../users/queries.ts'

/** A webhook with the name and icon of its account. */
export type WebhookRow = {
  id: string
  house_id: string
  room_id: string
  /** Who created its present address; null if that is older than this column. */
  creator_id: string | null
  name: string
  icon: string | null
}

function selectWebhooks(db: Db) {
  return db
    .selectFrom('webhooks')
    .innerJoin('users', 'users.id', 'webhooks.id')
    .select(['webhooks.id', 'webhooks.house_id', 'webhooks.room_id', 'webhooks.creator_id'])
    .select(['users.name', 'users.icon'])
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

/**
 * What executing a webhook needs: its account, the hash of its token, and the access of its creator to its room, whose
 * `user_id` is null if there is none. `is_creator_disabled`: their account, or that of their owner.
 */
export type ExecutableRow = Omit<RoomAccessRow, 'user_id' | 'house_id' | 'house_owner_id'> & {
  id: string
  account: GatewayUserRow
  token_hash: Buffer
  house_id: string
  house_owner_id: string
  user_id: string | null
  is_creator_disabled: boolean
}

/** A webhook by id, or undefined. */
export const findExecutable = coalesce<string, ExecutableRow | undefined>(async (db: Db, ids) => {
  const { rows } = await sql<ExecutableRow>`
    select wanted.id, wanted.token_hash, ${gatewayUserJson} as account, ${roomAccessColumns},
      exists (
        select from users as creator
        join users as accountable on accountable.id in (creator.id, creator.owner_id) and accountable.disabled
        where creator.id = wanted.user_id
      ) as is_creator_disabled
    from (
      select id, room_id, creator_id as user_id, token_hash from webhooks where id = any(${ids}::bigint[])
    ) as wanted
    join users on users.id = wanted.id
    ${roomAccessJoins}`.execute(db)
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
  webhook: { id: string; house_id: string; room_id: string; creator_id: string; token_hash: Buffer },
): Promise<void> {
  await db.insertInto('webhooks').values(webhook).execute()
}

export async function updateWebhook(
  db: Db,
  id: string,
  changes: { room_id: string } | { token_hash: Buffer; creator_id: string },
): Promise<void> {
  await db.updateTable('webhooks').set(changes).where('id', '=', id).execute()
}

/** Removes webhooks; their accounts stay, as their messages need an author. */
export async function deleteWebhooks(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from webhooks where id = any(${ids}::bigint[])`.execute(db)
}
