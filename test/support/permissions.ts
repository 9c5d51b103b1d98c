import { expect } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { type Answer, type Den, db, failure, house, houseRoom, type Person, role, user } from './world.ts'

export const noPermission = failure('no_permission', 'You do not have permission to do this')
export const houseNotFound = failure('house_not_found', 'That house does not exist')
export const roomNotFound = failure('room_not_found', 'That room does not exist')
export const roleNotFound = failure('role_not_found', 'That role does not exist')
export const memberNotFound = failure('member_not_found', 'That member does not exist')
export const userNotFound = failure('user_not_found', 'That user does not exist')
export const banNotFound = failure('ban_not_found', 'That ban does not exist')
export const botNotFound = failure('bot_not_found', 'That bot does not exist')
export const inviteNotFound = failure('invite_not_found', 'That invite does not exist')
export const entityNotFound = failure('entity_not_found', 'That entity does not exist')
export const wrongRoomType = failure(
  'method_not_allowed_on_room_type',
  'endpoint only callable on private group rooms',
)
export const emptyBody = failure('invalid_schema', 'JSON body cannot be empty')
export const noParentEntity = failure(
  'parent_entity_doesnt_exist',
  'Parent entity does not exist in this house',
)

export function invalid(...fields: string[]) {
  return failure('invalid_schema', `Invalid fields (${fields.join(', ')})`)
}

export function required(...fields: string[]) {
  return failure('invalid_schema', `Required fields (${fields.join(', ')}) not met`)
}

/** Status and body of an answer, to compare both. */
export function told({ status, body }: Answer) {
  return [status, body]
}

/** A house with an owner, a member without roles, and a moderator of rank 10 holding `bits` beyond the defaults. */
type ModeratedDen = Den & { member: Person; moderator: Person; moderator_role_id: string }

export async function moderatedHouse(bits: number = permission.MANAGE_ROLES): Promise<ModeratedDen> {
  const [owner, member, moderator] = [await user(), await user(), await user()]
  const den = await house({ owner, members: [member, moderator] })
  const moderator_role_id = await role(den, { allow: bits, position: 10, members: [moderator] })
  return { ...den, member, moderator, moderator_role_id }
}

/** Sets one override of a room. */
export async function override(
  roomId: string,
  targetId: string,
  fields: { type: 0 | 1; allow?: number; deny?: number },
): Promise<void> {
  const row = await db
    .selectFrom('rooms')
    .select('permission_overrides')
    .where('id', '=', roomId)
    .executeTakeFirstOrThrow()
  const present = (row.permission_overrides ?? {}) as Record<string, object>
  const added = { id: targetId, allow: 0, deny: 0, ...fields }
  const permission_overrides = JSON.stringify({ ...present, [targetId]: added })
  await db.updateTable('rooms').set({ permission_overrides }).where('id', '=', roomId).execute()
}

/** Holds a route of rooms to room_not_found for rooms that the caller cannot read, and for such as do not exist. */
export async function refusesUnreachableRooms(
  den: Den & { moderator: Person },
  ask: (caller: Person, roomId: string) => Promise<Answer>,
): Promise<void> {
  const hidden = await houseRoom(den, { default_deny: permission.READ_MESSAGES })
  for (const [caller, id] of [
    [den.moderator, hidden],
    [await user(), den.room_id],
    [den.owner, '1'],
    [den.owner, 'x'],
  ] as const) {
    expect(told(await ask(caller, id))).toEqual([404, roomNotFound])
  }
}
