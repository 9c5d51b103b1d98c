import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import type { HearthEvent } from '../../events/events.ts'
import { deleteReadStates } from '../../read-states/queries.ts'
import { deleteOverrides } from '../../rooms/house-rooms/queries.ts'
import type { AuditedChange } from '../audit-log/operations.ts'
import type { AuditEntry } from '../audit-log/queries.ts'
import { canRemove, hasPermission, permission } from '../permissions.ts'
import { findMembership, type Membership, type MembershipRow } from '../queries.ts'
import { deleteMember, findMember, listBotsOf, listInstalledBots } from './queries.ts'
import { serializeMember } from './serializers.ts'

/** The events and audit entries of members that leave as a consequence of a change. */
type Removal = { events: HearthEvent[]; audit: AuditEntry[] }

/**
 * Removes a member from a locked house with their roles, overrides and read states; messages and settings stay. Returns
 * the events, undefined if they are not a member. For the owner use `removeMembership`
 * (`houses/leaving-operations.ts`).
 */
export async function removeMember(
  trx: Db,
  { house_id, user_id }: Membership,
): Promise<HearthEvent[] | undefined> {
  const row = await findMember(trx, { house_id, user_id })
  if (!row) return undefined
  await deleteMember(trx, house_id, user_id)
  await deleteOverrides(trx, house_id, user_id)
  await deleteReadStates(trx, house_id, user_id)
  return [{ type: 'member_left', house_id, user_id, member: serializeMember(row) }]
}

/**
 * Removes from a locked house the bots that somebody owns or has added who is kicked or banned
 * (docs/permissions.md#rank). A bot above which `by` does not rank stays if others own it; for an own one throws
 * `no_permission`.
 */
export async function removeBotsOf(trx: Db, by: MembershipRow, userId: string): Promise<Removal> {
  const { house_id } = by
  const removed: string[] = []
  for (const { id, is_own } of await listBotsOf(trx, house_id, userId)) {
    const bot = await findMembership(trx, { house_id, user_id: id })
    if (bot && canRemove(by, bot)) removed.push(id)
    else if (is_own) throw new ApiError('no_permission')
  }
  return removeBots(trx, house_id, removed)
}

/** A change of a locked house, with the removal of the bots whose adders lose MANAGE_BOTS by it (docs/api.md#bots). */
export async function withRemovedBots<Answer>(
  trx: Db,
  houseId: string,
  change: AuditedChange<Answer>,
): Promise<AuditedChange<Answer>> {
  if (!change.events.some(mayEndPermissions)) return change
  const installed = await listInstalledBots(trx, houseId)
  const unable = new Set<string>()
  for (const user_id of new Set(installed.map(({ added_by }) => added_by))) {
    const adder = await findMembership(trx, { house_id: houseId, user_id })
    if (adder && !hasPermission(adder, permission.MANAGE_BOTS)) unable.add(user_id)
  }
  const stranded = installed.filter(({ added_by }) => unable.has(added_by)).map(({ id }) => id)
  const removed = await removeBots(trx, houseId, stranded)
  return {
    ...change,
    events: [...change.events, ...removed.events],
    audit: [...change.audit, ...removed.audit],
  }
}

const endingPermissions: ReadonlySet<HearthEvent['type']> = new Set([
  'role_updated',
  'role_deleted',
  'member_updated',
  'house_updated',
])

function mayEndPermissions({ type }: HearthEvent): boolean {
  return endingPermissions.has(type)
}

async function removeBots(trx: Db, house_id: string, ids: readonly string[]): Promise<Removal> {
  const removal: Removal = { events: [], audit: [] }
  for (const user_id of ids) {
    removal.events.push(...((await removeMember(trx, { house_id, user_id })) ?? []))
    removal.audit.push(kicked(user_id))
  }
  return removal
}

export function kicked(target_id: string): AuditEntry {
  return { action: 'member_kicked', target_type: 'user', target_id, changes: [] }
}
