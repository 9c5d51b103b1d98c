import { insertAccount } from '../../accounts/queries.ts'
import { hashToken, newToken } from '../../auth/tokens.ts'
import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import { asId, newId } from '../../ids.ts'
import type { PictureBudget } from '../../images/budget.ts'
import { type Picture, pictureName, readIcon } from '../../images/picture.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canRead, readableRooms } from '../../rooms/permissions.ts'
import { findRoomAccess, listHouseRooms, type RoomAccessRow } from '../../rooms/queries.ts'
import { cancelDiscard, discardFiles, saveFile } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { updateUser } from '../../users/queries.ts'
import { type HouseActor, requireHouse, withHouseLock } from '../access-operations.ts'
import { changesBetween } from '../audit-log/operations.ts'
import type { AuditAction, AuditEntry } from '../audit-log/queries.ts'
import { hasPermission, permission } from '../permissions.ts'
import type { Membership } from '../queries.ts'
import { canManageWebhooks } from './permissions.ts'
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks as listWebhookRows,
  updateWebhook,
  type WebhookRow,
} from './queries.ts'
import { removeWebhooks } from './removal-operations.ts'
import type { CreateWebhook, DeletedWebhook, EditWebhook, Webhook, WebhookWithUrl } from './schemas.ts'
import { serializeWebhook, serializeWebhookWithUrl } from './serializers.ts'

/** Webhooks of a house (docs/api.md#counts-and-sizes). */
export const maxWebhooks = 25

/** The webhooks of the rooms that the caller can read, oldest first. Throws `house_not_found`, `no_permission`. */
export async function listWebhooks(db: Db, caller: Membership): Promise<Webhook[]> {
  const membership = await requireHouse(db, caller)
  if (!hasPermission(membership, permission.MANAGE_INTEGRATIONS)) throw new ApiError('no_permission')
  const [rows, rooms] = await Promise.all([
    listWebhookRows(db, caller.house_id),
    listHouseRooms(db, caller.house_id),
  ])
  const readable = new Set(readableRooms(membership, rooms).map(({ id }) => id))
  return rows.filter(({ room_id }) => readable.has(room_id)).map(serializeWebhook)
}

/**
 * Creates a webhook with an account of its own (docs/api.md#webhooks). `origin`: the server's public address. Throws
 * `house_not_found`, `room_not_found`, `no_permission`, `limit_reached`, and as `readIcon`.
 */
export async function createWebhook(
  db: Db,
  store: Store,
  budget: PictureBudget,
  caller: HouseActor,
  fields: CreateWebhook,
  origin: string,
): Promise<Outcome<WebhookWithUrl>> {
  const { house_id } = caller
  const room_id = asId(fields.room_id)
  await requireHouse(db, caller)
  mustManage(await requireRoomOfHouse(db, caller, room_id))
  const id = newId()
  const icon = await saveIcon(db, store, id, budget, fields.icon)
  const token = newToken()
  return withHouseLock(db, caller, async (trx) => {
    mustManage(await requireRoomOfHouse(trx, caller, room_id))
    if ((await countWebhooks(trx, house_id)) >= maxWebhooks) throw limitReached('webhooks')
    const { name } = fields
    await insertAccount(trx, { id, username: `webhook-${id}`, name, bot: true, owner_id: id })
    const creator_id = caller.user_id
    await insertWebhook(trx, { id, house_id, room_id, creator_id, token_hash: hashToken(token) })
    if (icon) await putIcon(trx, { id, icon: null }, icon.file)
    const row = { id, house_id, room_id, creator_id, name, icon: icon?.file ?? null }
    const audit = webhookChanged('webhook_created', null, row)
    return { answer: serializeWebhookWithUrl(row, token, origin), events: [], audit }
  })
}

/**
 * Changes what was sent of a webhook (docs/api.md#webhooks). Throws `house_not_found`, `webhook_not_found`,
 * `room_not_found`, `no_permission`, and as `readIcon`.
 */
export async function editWebhook(
  db: Db,
  store: Store,
  budget: PictureBudget,
  caller: HouseActor,
  webhookId: string,
  fields: EditWebhook,
): Promise<Outcome<Webhook>> {
  const wanted = { ...fields, room_id: fields.room_id === undefined ? undefined : asId(fields.room_id) }
  await requireHouse(db, caller)
  await requireManaged(db, caller, webhookId, wanted.room_id)
  const icon = await saveIcon(db, store, webhookId, budget, fields.icon)
  return withHouseLock(db, caller, async (trx) => {
    const before = await requireManaged(trx, caller, webhookId, wanted.room_id)
    const { name = before.name, room_id = before.room_id } = wanted
    const after = { ...before, name, room_id, icon: icon === undefined ? before.icon : (icon?.file ?? null) }
    if (after.room_id !== before.room_id) await updateWebhook(trx, webhookId, { room_id })
    if (after.name !== before.name) await updateUser(trx, webhookId, { name })
    if (icon !== undefined) await putIcon(trx, before, after.icon)
    const audit = webhookChanged('webhook_updated', before, after)
    return { answer: serializeWebhook(after), events: [], audit }
  })
}

/**
 * Gives a webhook a new token, with which the caller becomes its creator; the old one ends at once. Throws
 * `house_not_found`, `webhook_not_found`, `no_permission`.
 */
export async function rotateWebhookToken(
  db: Db,
  caller: HouseActor,
  webhookId: string,
  origin: string,
): Promise<Outcome<WebhookWithUrl>> {
  const token = newToken()
  return withHouseLock(db, caller, async (trx) => {
    const row = await requireManaged(trx, caller, webhookId)
    const creator_id = caller.user_id
    await updateWebhook(trx, webhookId, { token_hash: hashToken(token), creator_id })
    const replaced = { target_type: 'webhook', target_id: webhookId, changes: [] } as const
    const audit = [{ action: 'webhook_token_replaced', ...replaced } as const]
    const answer = serializeWebhookWithUrl({ ...row, creator_id }, token, origin)
    return { answer, events: [], audit }
  })
}

/** Deletes a webhook; its messages stay. Throws `house_not_found`, `webhook_not_found`, `no_permission`. */
export async function deleteWebhook(
  db: Db,
  caller: HouseActor,
  webhookId: string,
): Promise<Outcome<DeletedWebhook>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx) => {
    const row = await requireManaged(trx, caller, webhookId)
    await removeWebhooks(trx, [row])
    const audit = webhookChanged('webhook_deleted', row, null)
    return { answer: { id: webhookId, house_id }, events: [], audit }
  })
}

/** Nothing where nothing differs. */
function webhookChanged(
  action: AuditAction,
  before: WebhookRow | null,
  after: WebhookRow | null,
): AuditEntry[] {
  const changes = changesBetween(before, after, ['room_id', 'name', 'icon'])
  if (changes.length === 0) return []
  return [{ action, target_type: 'webhook', target_id: (after ?? before)!.id, changes }]
}

/** Throws `no_permission` for who does not manage the webhooks of a room. */
function mustManage(access: RoomAccessRow): void {
  if (!canManageWebhooks(access)) throw new ApiError('no_permission')
}

/** The access to a room of the house. Throws `room_not_found`. */
async function requireRoomOfHouse(db: Db, caller: Membership, roomId: string): Promise<RoomAccessRow> {
  const access = await requireRoomAccess(db, roomId, caller.user_id)
  if (access.house_id !== caller.house_id) throw new ApiError('room_not_found')
  return access
}

/**
 * A webhook that the caller manages, in the room of another one, too, where it is to move there. One of a room that they
 * cannot read does not exist for them. Throws `webhook_not_found`, `room_not_found`, `no_permission`.
 */
async function requireManaged(
  db: Db,
  caller: HouseActor,
  webhookId: string,
  newRoomId?: string,
): Promise<WebhookRow> {
  const { house_id, user_id } = caller
  const row = await findWebhook(db, house_id, webhookId)
  const access = row && (await findRoomAccess(db, { room_id: row.room_id, user_id }))
  if (!row || !canRead(access)) throw new ApiError('webhook_not_found')
  const newAccess = newRoomId === undefined ? access : await requireRoomOfHouse(db, caller, newRoomId)
  mustManage(access)
  mustManage(newAccess)
  return row
}

/** Stores an icon that was sent, for `putIcon` to put to use; null removes the present one. */
async function saveIcon(
  db: Db,
  store: Store,
  webhookId: string,
  budget: PictureBudget,
  sent: string | null | undefined,
): Promise<Picture | null | undefined> {
  if (sent == null) return sent
  const icon = await readIcon(sent, budget)
  await saveFile(db, store, pictureName('users/icons', webhookId, icon.file), icon.content)
  return icon
}

async function putIcon(
  trx: Db,
  { id, icon }: Pick<WebhookRow, 'id' | 'icon'>,
  file: string | null,
): Promise<void> {
  if (file === icon) return
  await updateUser(trx, id, { icon: file })
  if (file !== null) await cancelDiscard(trx, [pictureName('users/icons', id, file)])
  if (icon !== null) await discardFiles(trx, [pictureName('users/icons', id, icon)])
}
