import { changedFields } from '../database/changed-fields.ts'
import type { Db } from '../database/client.ts'
import { ApiError, fieldsInvalid, limitReached } from '../errors.ts'
import type { Outcome } from '../events/commit.ts'
import type { HearthEvent } from '../events/events.ts'
import { type HouseActor, withHouseLock } from '../houses/access-operations.ts'
import { changesBetween, commitAudited } from '../houses/audit-log/operations.ts'
import type { AuditAction, AuditEntry } from '../houses/audit-log/queries.ts'
import { type EntityRow, listEntities, replaceRooms } from '../houses/entities/queries.ts'
import { hasBits, hasPermission, permission } from '../houses/permissions.ts'
import { listWebhooksOfRoom } from '../houses/webhooks/queries.ts'
import { removeWebhooks } from '../houses/webhooks/removal-operations.ts'
import { asId, newId } from '../ids.ts'
import { removeMessages, removeRowsOf } from '../messages/removal/operations.ts'
import { shareRoomLock } from './access-operations.ts'
import {
  deleteRoom as deleteRoomRow,
  findRoomCount,
  insertHouseRoom,
  updateRoom,
} from './house-rooms/queries.ts'
import type { CreateHouseRoom, DeletedRoom, EditRoom } from './house-rooms/schemas.ts'
import { permissionsInRoom, roomType } from './permissions.ts'
import { findRoom, type RoomAccessRow, type RoomRow } from './queries.ts'
import type { Room } from './schemas.ts'
import { serializeRoom } from './serializers.ts'

/** Rooms of a house (docs/api.md#counts-and-sizes). */
export const maxRooms = 500
/**
 * The entity of a new house, and of rooms that are created without an entity. Existing clients look it up by name.
 */
export const defaultEntityName = 'Rooms'

/**
 * Creates a room at the end of a house and of an entity (docs/api.md#rooms). Throws `house_not_found`,
 * `parent_entity_doesnt_exist`, `no_permission`, `limit_reached`.
 */
export function createHouseRoom(db: Db, caller: HouseActor, fields: CreateHouseRoom): Promise<Outcome<Room>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    const entities = await listEntities(trx, house_id)
    const { parent_entity_id } = fields
    const named = parent_entity_id == null ? undefined : entityNamed(entities, parent_entity_id)
    if (!hasPermission(membership, permission.MANAGE_ROOMS)) throw new ApiError('no_permission')
    const { count, position } = await findRoomCount(trx, house_id)
    if (count >= maxRooms) throw limitReached('rooms')
    const { name, description = null } = fields
    const id = newId()
    const emoji = emojiName(fields.emoji) ?? null
    await insertHouseRoom(trx, { id, house_id, name, description, emoji, position })
    const entity = named ?? entities.find((one) => one.name === defaultEntityName) ?? entities[0]
    if (entity) await replaceRooms(trx, entity.id, [...entity.room_ids, id])
    const events: HearthEvent[] = [{ type: 'room_created', room_id: id, house_id }]
    if (entity) events.push({ type: 'entities_updated', house_id })
    const row = (await findRoom(trx, id))!
    const audit = roomChanged('room_created', null, { ...row, entity_id: entity?.id })
    return { answer: serializeRoom(row, caller.user_id), events, audit }
  })
}

/**
 * Updates the given fields of a house room or a group (docs/api.md#rooms). Throws `method_not_allowed_on_room_type`,
 * `invalid_schema`, `parent_entity_doesnt_exist`, `no_permission`, and `room_not_found` if the caller has lost access.
 */
export async function editRoom(
  db: Db,
  access: RoomAccessRow,
  fields: EditRoom,
  reason: string | null,
): Promise<Outcome<Room>> {
  if (access.type === roomType.oneToOne) throw new ApiError('method_not_allowed_on_room_type')
  refuseFieldsOfOtherTypes(access.type, fields)
  const { house_id, room_id } = access
  return commitAudited(db, { ...access, reason }, async (trx) => {
    const present = await shareRoomLock(trx, access)
    const moves =
      house_id === null ? undefined : await findMove(trx, house_id, room_id, fields.parent_entity_id)
    if (house_id !== null && !hasBits(permissionsInRoom(present), permission.MANAGE_ROOMS)) {
      throw new ApiError('no_permission')
    }
    const before = (await findRoom(trx, room_id))!
    const { name, description, position } = fields
    const wanted = { name, description, emoji: emojiName(fields.emoji), position }
    const changes = changedFields(wanted, before)
    const events: HearthEvent[] = []
    if (Object.keys(changes).length > 0) {
      await updateRoom(trx, room_id, changes)
      events.push({ type: 'room_updated', room_id, house_id })
    }
    if (moves && house_id !== null) {
      await replaceRooms(trx, moves.entity_id, moves.room_ids)
      events.push({ type: 'entities_updated', house_id })
    }
    const after = { ...before, ...changes, entity_id: moves?.entity_id }
    const audit = events.length > 0 ? roomChanged('room_updated', before, after) : []
    return { answer: serializeRoom({ ...before, ...changes }, access.user_id), events, audit }
  })
}

type AuditedRoom = Pick<RoomRow, 'id' | 'name' | 'description' | 'emoji' | 'position'> & {
  entity_id?: string | undefined
}

/** `entity_id` is that of the entity which the room has moved into. */
function roomChanged(
  action: AuditAction,
  before: AuditedRoom | null,
  after: AuditedRoom | null,
): AuditEntry[] {
  const keys = ['name', 'description', 'emoji', 'position', 'entity_id'] as const
  const changes = changesBetween(before, after, keys)
  return [{ action, target_type: 'room', target_id: (after ?? before)!.id, changes }]
}

/** Throws `invalid_schema` for a position or entity of a group, and for a null name of a house room. */
function refuseFieldsOfOtherTypes(type: number, fields: EditRoom): void {
  const foreign = (['position', 'parent_entity_id'] as const).filter((name) => name in fields)
  if (type !== roomType.house && foreign.length > 0) throw fieldsInvalid(...foreign)
  if (type === roomType.house && fields.name === null) throw fieldsInvalid('name')
}

/** The end of another entity, if one is given; undefined if the room does not move. Throws `parent_entity_doesnt_exist`. */
async function findMove(trx: Db, houseId: string, roomId: string, entityId: string | undefined) {
  if (entityId === undefined) return undefined
  const entity = entityNamed(await listEntities(trx, houseId), entityId)
  if (entity.room_ids.includes(roomId)) return undefined
  return { entity_id: entity.id, room_ids: [...entity.room_ids, roomId] }
}

function entityNamed(entities: readonly EntityRow[], id: string): EntityRow {
  const entity = entities.find((one) => one.id === asId(id))
  if (!entity) throw new ApiError('parent_entity_doesnt_exist')
  return entity
}

/** The bare name of an emoji in a body; undefined if the field is absent. */
function emojiName(emoji: EditRoom['emoji']): string | null | undefined {
  return typeof emoji === 'object' && emoji !== null ? emoji.data : emoji
}

/**
 * Deletes a house room; its messages and files go soon after (docs/gateway.md#houses). Throws `method_not_allowed_on_room_type`,
 * `no_permission`, `last_room`, and `room_not_found` if the caller has lost access.
 */
export async function deleteHouseRoom(
  db: Db,
  access: RoomAccessRow,
  reason: string | null,
): Promise<Outcome<DeletedRoom>> {
  const { house_id, room_id } = access
  if (house_id === null) throw new ApiError('method_not_allowed_on_room_type')
  return commitAudited(db, { ...access, reason }, async (trx) => {
    const present = await shareRoomLock(trx, access)
    if (!hasBits(permissionsInRoom(present), permission.MANAGE_ROOMS)) throw new ApiError('no_permission')
    if ((await findRoomCount(trx, house_id)).count === 1) throw new ApiError('last_room')
    const row = (await findRoom(trx, room_id))!
    await removeMessages(trx, [room_id])
    await removeWebhooks(trx, await listWebhooksOfRoom(trx, room_id))
    await deleteRoomRow(trx, room_id)
    await removeRowsOf(trx, [room_id])
    const { default_allow, default_deny, permission_overrides } = present
    const room = { default_allow, default_deny, permission_overrides }
    const events: HearthEvent[] = [
      { type: 'room_deleted', room_id, house_id, room },
      { type: 'entities_updated', house_id },
    ]
    return { answer: { id: room_id, house_id }, events, audit: roomChanged('room_deleted', row, null) }
  })
}
