import { changedFields } from '../database/changed-fields.ts'
import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { commit, type Outcome } from '../events/commit.ts'
import type { HearthEvent } from '../events/events.ts'
import { newId } from '../ids.ts'
import type { PictureBudget } from '../images/budget.ts'
import { readIcon } from '../images/picture.ts'
import { insertHouseRoom } from '../rooms/house-rooms/queries.ts'
import { defaultEntityName } from '../rooms/operations.ts'
import { roomType } from '../rooms/permissions.ts'
import type { Store } from '../storage/store.ts'
import { lockUsers } from '../users/lock-queries.ts'
import { type HouseActor, withHouseLock } from './access-operations.ts'
import { changesBetween, commitAudited } from './audit-log/operations.ts'
import type { AuditEntry } from './audit-log/queries.ts'
import { insertEntity, replaceRooms } from './entities/queries.ts'
import { discardIcon, readEditedIcon, replaceIcon, saveIcon } from './icon-operations.ts'
import { ownerChanged, ownerChangedEvents, removeHouse } from './leaving-operations.ts'
import { requireRoomForHouse } from './members/operations.ts'
import { findMember, insertMember, listMemberIds, replaceAdder } from './members/queries.ts'
import { withRemovedBots } from './members/removal-operations.ts'
import { canEditHouse, newHousePermissions } from './permissions.ts'
import {
  findMembership,
  type HouseRow,
  insertHouse,
  lockHouse,
  type Membership,
  updateHouse,
} from './queries.ts'
import type { CreateHouse, EditedHouse, EditHouse, House } from './schemas.ts'

/**
 * Creates a house with its owner as member and a room in the entity `Rooms` (docs/api.md#houses,
 * docs/gateway.md#houses). Throws `invalid_icon_file_format`, `payload_too_large`, `limit_reached`, `no_auth`, and
 * as `renderIcon`.
 */
export async function createHouse(
  db: Db,
  store: Store,
  budget: PictureBudget,
  ownerId: string,
  fields: CreateHouse,
): Promise<Outcome<House>> {
  const icon = fields.icon == null ? null : await readIcon(fields.icon, budget)
  const { name, description = null } = fields
  const id = newId()
  const room = { id: newId(), house_id: id, name: 'general', position: 0 }
  const entity = { id: newId(), house_id: id, name: defaultEntityName, position: 0 }
  if (icon) await saveIcon(db, store, id, icon)
  return commit(db, async (trx) => {
    const [owner] = await lockUsers(trx, [ownerId])
    if (!owner) throw new ApiError('no_auth')
    await requireRoomForHouse(trx, ownerId)
    const settings = { name, description, default_permissions: newHousePermissions }
    await insertHouse(trx, { id, owner_id: ownerId, icon: icon?.file ?? null, ...settings })
    await insertHouseRoom(trx, { ...room, description: null, emoji: null })
    await insertEntity(trx, entity)
    await replaceRooms(trx, entity.id, [room.id])
    await insertMember(trx, { house_id: id, user_id: ownerId })
    if (icon) await replaceIcon(trx, { id, icon: null }, icon)
    return {
      answer: {
        id,
        name,
        description,
        owner_id: ownerId,
        rooms: [{ ...room, type: roomType.house }],
        type: 0,
      },
      events: [{ type: 'member_joined', house_id: id, user_id: ownerId }],
    }
  })
}

/**
 * Updates a house, with the order of checks of docs/api.md#houses. A caller who may update has every bit, and may
 * therefore change every bit of the default permissions. Throws `no_permission`, and as `readEditedIcon`.
 */
export async function editHouse(
  db: Db,
  store: Store,
  budget: PictureBudget,
  membership: HouseActor,
  fields: EditHouse,
): Promise<Outcome<EditedHouse>> {
  if (!canEditHouse(await findMembership(db, membership))) throw new ApiError('no_permission')
  const icon = fields.icon == null ? undefined : await readEditedIcon(fields.icon, budget)
  const house_id = membership.house_id
  if (icon) await saveIcon(db, store, house_id, icon)
  return commitAudited(db, membership, async (trx) => {
    const house = await lockHouse(trx, house_id)
    const mayEdit = canEditHouse(await findMembership(trx, membership))
    if (!house || !mayEdit) throw new ApiError('no_permission')
    const { name, description, default_permissions } = fields
    const changes = changedFields({ name, description, default_permissions, icon: icon?.file }, house)
    const events = editEvents(house_id, changes)
    if (events.length > 0) await updateHouse(trx, house_id, changes)
    if (icon) await replaceIcon(trx, house, icon)
    const change = { answer: { name, house_id }, events, audit: houseUpdated(house, changes) }
    return withRemovedBots(trx, house_id, change)
  })
}

function houseUpdated(house: HouseRow, changed: Partial<HouseRow>): AuditEntry[] {
  const keys = ['name', 'description', 'default_permissions', 'icon'] as const
  const changes = changesBetween(house, { ...house, ...changed }, keys)
  if (changes.length === 0) return []
  return [{ action: 'house_updated', target_type: 'house', target_id: house.id, changes }]
}

function editEvents(house_id: string, changes: Partial<HouseRow>): HearthEvent[] {
  if (Object.keys(changes).length === 0) return []
  const updated: HearthEvent = { type: 'house_updated', house_id }
  if (changes.default_permissions === undefined) return [updated]
  return [updated, { type: 'visibility_changed', house_id, user_ids: null }]
}

/** Removes the icon of a house. Throws `house_not_found`, `no_permission`. */
export async function removeHouseIcon(db: Db, caller: HouseActor): Promise<Outcome<EditedHouse>> {
  const { house_id } = caller
  return withHouseLock(db, caller, async (trx, membership, house) => {
    const { name, icon } = house
    if (!canEditHouse(membership)) throw new ApiError('no_permission')
    const answer = { name, house_id }
    if (icon === null) return { answer, events: [], audit: [] }
    await updateHouse(trx, house_id, { icon: null })
    await discardIcon(trx, house_id, icon)
    const audit = houseUpdated(house, { icon: null })
    return { answer, events: [{ type: 'house_updated', house_id }], audit }
  })
}

/**
 * Transfers a house from its owner to another member, who must not be a bot (docs/api.md#houses). Throws
 * `house_not_found`, `member_not_found`, `no_permission`.
 */
export async function handOverHouse(
  db: Db,
  caller: HouseActor,
  newOwnerId: string,
): Promise<Outcome<{ house_id: string; owner_id: string }>> {
  const { house_id, user_id } = caller
  return withHouseLock(db, caller, async (trx, { owner_id }) => {
    const newOwner = await findMember(trx, { house_id, user_id: newOwnerId })
    if (!newOwner) throw new ApiError('member_not_found')
    if (owner_id !== user_id || newOwner.user.bot) throw new ApiError('no_permission')
    const answer = { house_id, owner_id: newOwnerId }
    if (newOwnerId === user_id) return { answer, events: [], audit: [] }
    await updateHouse(trx, house_id, { owner_id: newOwnerId })
    // The bots that the former owner has added stay with the house.
    await replaceAdder(trx, house_id, user_id, newOwnerId)
    const events = ownerChangedEvents(house_id, [user_id, newOwnerId])
    return { answer, events, audit: [ownerChanged(user_id, newOwnerId)] }
  })
}

/** The deletion of a larger house ends all sessions that resume over it (docs/gateway.md#resuming). */
const maxNamedMembers = 1_000

/** Deletes a house with its contents (docs/api.md#houses). Throws `no_permission` unless the caller owns it. */
export async function deleteHouse(db: Db, { house_id, user_id }: Membership): Promise<Outcome<null>> {
  return commit(db, async (trx) => {
    const house = await lockHouse(trx, house_id)
    if (house?.owner_id !== user_id) throw new ApiError('no_permission')
    return { answer: null, events: await deleteLockedHouse(trx, house) }
  })
}

/** The same for a house that is locked. Returns the events. */
export async function deleteLockedHouse(trx: Db, house: HouseRow): Promise<HearthEvent[]> {
  const members = await listMemberIds(trx, house.id, maxNamedMembers + 1)
  const user_ids = members.length > maxNamedMembers ? null : members
  await removeHouse(trx, house)
  return [
    { type: 'access_changed', user_ids },
    { type: 'house_deleted', house_id: house.id },
  ]
}
