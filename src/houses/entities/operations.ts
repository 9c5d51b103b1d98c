import type { Db } from '../../database/client.ts'
import { ApiError, fieldsInvalid, limitReached } from '../../errors.ts'
import type { Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { asId, newId } from '../../ids.ts'
import { readableRooms } from '../../rooms/permissions.ts'
import { listHouseRooms } from '../../rooms/queries.ts'
import { type HouseActor, withHouseLock } from '../access-operations.ts'
import { changesBetween } from '../audit-log/operations.ts'
import type { AuditAction, AuditEntry } from '../audit-log/queries.ts'
import { hasPermission, permission } from '../permissions.ts'
import type { MembershipRow } from '../queries.ts'
import {
  deleteEntity as deleteEntityRow,
  type EntityRow,
  insertEntity,
  listEntities,
  replaceRooms,
  updateEntityName,
  updateEntityPositions,
} from './queries.ts'
import type { CreateEntity, DeletedEntity, EditEntity, Entity, HouseEntities } from './schemas.ts'
import { serializeEntity } from './serializers.ts'

/** Entities of a house (docs/api.md#counts-and-sizes). */
export const maxEntities = 100

/**
 * Creates an entity at the end, and returns all entities of the house (docs/api.md#entities). Throws `house_not_found`,
 * `no_permission`, `limit_reached`.
 */
export async function createEntity(
  db: Db,
  caller: HouseActor,
  fields: CreateEntity,
): Promise<Outcome<HouseEntities>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    const before = await listEntities(trx, house_id)
    if (!hasPermission(membership, permission.MANAGE_ROOMS)) throw new ApiError('no_permission')
    if (before.length >= maxEntities) throw limitReached('entities')
    const id = newId()
    await insertEntity(trx, { id, house_id, name: fields.name, position: before.length })
    const readable = await readableRoomIds(trx, membership)
    const rows = await listEntities(trx, house_id)
    return {
      answer: { entities: rows.map((row) => serializeEntity(row, readable)) },
      events: updated(house_id),
      audit: entityChanged('entity_created', null, findEntity(rows, id)),
    }
  })
}

/**
 * Updates the given fields of an entity (docs/api.md#entities). Throws `house_not_found`, `entity_not_found`,
 * `no_permission`, `invalid_schema`.
 */
export async function editEntity(
  db: Db,
  caller: HouseActor,
  entityId: string,
  fields: EditEntity,
): Promise<Outcome<Entity>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    const rows = await listEntities(trx, house_id)
    const before = findEntity(rows, entityId)
    if (!hasPermission(membership, permission.MANAGE_ROOMS)) throw new ApiError('no_permission')
    const readable = await readableRoomIds(trx, membership)
    const roomIds = roomIdsAfterEdit(before, fields.resource_pointers, readable)
    const order = rows.map((row) => row.id)
    const newOrder = fields.position === undefined ? order : moved(order, entityId, fields.position)
    if (fields.name !== undefined) await updateEntityName(trx, entityId, fields.name)
    if (!equal(roomIds, before.room_ids)) await replaceRooms(trx, entityId, roomIds)
    await updateEntityPositions(trx, newOrder)
    const after = findEntity(await listEntities(trx, house_id), entityId)
    const isSame = after.name === before.name && equal(newOrder, order) && equal(roomIds, before.room_ids)
    return {
      answer: serializeEntity(after, readable),
      events: isSame ? [] : updated(house_id),
      audit: isSame ? [] : entityChanged('entity_updated', before, after),
    }
  })
}

/**
 * Deletes an empty entity (docs/api.md#entities). Throws `house_not_found`, `entity_not_found`, `no_permission`,
 * `entity_not_empty`.
 */
export async function deleteEntity(
  db: Db,
  caller: HouseActor,
  entityId: string,
): Promise<Outcome<DeletedEntity>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership) => {
    const rows = await listEntities(trx, house_id)
    const row = findEntity(rows, entityId)
    if (!hasPermission(membership, permission.MANAGE_ROOMS)) throw new ApiError('no_permission')
    if (row.room_ids.length > 0) throw new ApiError('entity_not_empty')
    await deleteEntityRow(trx, entityId)
    await updateEntityPositions(
      trx,
      rows.map((one) => one.id).filter((id) => id !== entityId),
    )
    const audit = entityChanged('entity_deleted', row, null)
    return { answer: { id: entityId, house_id }, events: updated(house_id), audit }
  })
}

function entityChanged(action: AuditAction, before: EntityRow | null, after: EntityRow | null): AuditEntry[] {
  const changes = changesBetween(before, after, ['name', 'position', 'room_ids'])
  return [{ action, target_type: 'entity', target_id: (after ?? before)!.id, changes }]
}

function findEntity(rows: EntityRow[], id: string): EntityRow {
  const row = rows.find((one) => one.id === id)
  if (!row) throw new ApiError('entity_not_found')
  return row
}

async function readableRoomIds(trx: Db, caller: MembershipRow): Promise<Set<string>> {
  const rooms = await listHouseRooms(trx, caller.house_id)
  return new Set(readableRooms(caller, rooms).map((room) => room.id))
}

/**
 * The room ids of an entity after an edit. `pointers` must name every readable room of the entity once, and only
 * readable rooms; unreadable rooms keep their places. Throws `invalid_schema`.
 */
function roomIdsAfterEdit(
  before: EntityRow,
  pointers: EditEntity['resource_pointers'],
  readable: ReadonlySet<string>,
): string[] {
  if (pointers === undefined) return before.room_ids
  const named = pointers.map((pointer) => asId(pointer.resource_id))
  const distinct = new Set(named)
  const isIncomplete = before.room_ids.some((id) => readable.has(id) && !distinct.has(id))
  if (distinct.size < named.length || isIncomplete || named.some((id) => !readable.has(id))) {
    throw fieldsInvalid('resource_pointers')
  }
  const rest = [...named]
  const kept = before.room_ids.map((id) => (readable.has(id) ? rest.shift()! : id))
  return [...kept, ...rest]
}

/** The ids with one of them moved to an index; an index past the end means last. */
function moved(ids: string[], id: string, position: number): string[] {
  return ids.filter((one) => one !== id).toSpliced(position, 0, id)
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index])
}

function updated(house_id: string): HearthEvent[] {
  return [{ type: 'entities_updated', house_id }]
}
