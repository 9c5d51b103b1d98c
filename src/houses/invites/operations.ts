import { randomInt } from 'node:crypto'
import { normalizeInviteCode } from '../../auth/codes.ts'
import type { Db } from '../../database/client.ts'
import { ApiError, limitReached } from '../../errors.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { type HouseActor, withHouseLock } from '../access-operations.ts'
import { changesBetween, commitAudited } from '../audit-log/operations.ts'
import type { AuditEntry } from '../audit-log/queries.ts'
import { isBanned } from '../bans/queries.ts'
import { addMember } from '../members/operations.ts'
import { hasPermission, permission } from '../permissions.ts'
import { findHouseSummary, findMembership, lockHouse, type Membership } from '../queries.ts'
import { serializeHouseSummary } from '../serializers.ts'
import {
  countInvites,
  deleteInactiveInvites,
  deleteInvite,
  findEndOfInvite,
  findInvite,
  type InviteRow,
  insertInvite,
  updateUses,
} from './queries.ts'
import type {
  CreateInvite,
  Invite,
  InvitedMembership,
  InvitePreview,
  JoinedHouse,
  RevokedInvite,
} from './schemas.ts'
import { serializeInvite, serializeInvitePreview } from './serializers.ts'

/** Active invites of a house (docs/api.md#counts-and-sizes). */
export const maxInvites = 200
const codeLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * An active invite by its code as somebody typed it. Throws `invite_not_found`; to an extended client `invite_expired` or
 * `invite_used_up` while such an invite is still stored.
 */
export async function requireInvite(db: Db, typed: string, extended = false): Promise<InviteRow> {
  const code = normalizeInviteCode(typed)
  if (!/^[0-9A-Za-z]{6}$/.test(code)) throw new ApiError('invite_not_found')
  const found = await findInvite(db, code)
  if (found) return found
  const end = extended ? await findEndOfInvite(db, code) : undefined
  throw new ApiError(end === undefined ? 'invite_not_found' : `invite_${end}`)
}

/** An invite for whoever asks; to an extended client with what they are in its house. Throws as `requireInvite`. */
export async function previewInvite(
  db: Db,
  typed: string,
  { userId, extended }: { userId: string | undefined; extended: boolean },
): Promise<InvitePreview> {
  const found = await requireInvite(db, typed, extended)
  const house = await findHouseSummary(db, found.house_id)
  if (!house) throw new ApiError('invite_not_found')
  const preview = serializeInvitePreview(found, house)
  if (!extended) return preview
  const membership = userId === undefined ? null : await membershipOf(db, found.house_id, userId)
  return { ...preview, membership }
}

async function membershipOf(db: Db, house_id: string, user_id: string): Promise<InvitedMembership> {
  if (await findMembership(db, { house_id, user_id })) return 'member'
  return (await isBanned(db, house_id, user_id)) ? 'banned' : 'none'
}

/** Creates an invite (docs/api.md#invites). Throws `house_not_found`, `no_permission`, `limit_reached`. */
export async function createInvite(
  db: Db,
  caller: HouseActor,
  limits: CreateInvite,
): Promise<Outcome<Invite>> {
  const { house_id, user_id } = caller
  const max_uses = limits.max_uses || null
  const max_age = limits.max_age || null
  return withHouseLock(db, caller, async (trx, membership) => {
    if (!hasPermission(membership, permission.CREATE_INVITES)) throw new ApiError('no_permission')
    await deleteInactiveInvites(trx, house_id)
    if ((await countInvites(trx, house_id)) >= maxInvites) throw limitReached('invites')
    const row = await insertWithNewCode(trx, { house_id, creator_id: user_id, max_uses, max_age })
    return { answer: serializeInvite(row), events: [], audit: [inviteChanged('invite_created', null, row)] }
  })
}

/** Inserts an invite with an unused code. There are 57 billion codes, so the first attempt nearly always succeeds. */
async function insertWithNewCode(
  trx: Db,
  fields: Pick<InviteRow, 'house_id' | 'creator_id' | 'max_uses' | 'max_age'>,
): Promise<InviteRow> {
  for (;;) {
    const row = await insertInvite(trx, { ...fields, code: newCode() })
    if (row) return row
  }
}

function newCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/**
 * Joins the house of an invite; for a member it changes nothing and counts no use (docs/api.md#invites). Throws
 * as `requireInvite`, `no_permission` for banned users, `limit_reached`.
 */
export async function useInvite(
  db: Db,
  userId: string,
  typed: string,
  extended = false,
): Promise<Outcome<JoinedHouse>> {
  const { code, house_id } = await requireInvite(db, typed, extended)
  return commit(db, async (trx) => {
    const events = await join(trx, { house_id, user_id: userId }, code)
    const house = await findHouseSummary(trx, house_id)
    return { answer: { house_id, house: serializeHouseSummary(house!) }, events }
  })
}

/** As `useInvite`, for an account that the transaction creates. Returns the events. */
export async function joinByInvite(trx: Db, userId: string, typed: string): Promise<HearthEvent[]> {
  const { code, house_id } = await requireInvite(trx, typed)
  return join(trx, { house_id, user_id: userId }, code)
}

async function join(trx: Db, membership: Membership, code: string): Promise<HearthEvent[]> {
  const events = await addMember(trx, membership)
  if (!events) throw new ApiError('invite_not_found')
  // Of two concurrent requests for the last use, the second one fails and is rolled back.
  if (events.length > 0 && !(await updateUses(trx, code))) throw new ApiError('invite_not_found')
  return events
}

/** Revokes an invite, for its creator or with MANAGE_INVITES. Throws `invite_not_found`, `no_permission`. */
export async function revokeInvite(
  db: Db,
  { user_id: userId, reason }: Pick<HouseActor, 'user_id' | 'reason'>,
  typed: string,
): Promise<Outcome<RevokedInvite>> {
  const invite = await requireInvite(db, typed)
  const { code, house_id, creator_id } = invite
  return commitAudited(db, { house_id, user_id: userId, reason: reason ?? null }, async (trx) => {
    await lockHouse(trx, house_id)
    const membership = await findMembership(trx, { house_id, user_id: userId })
    const mayManage = membership !== undefined && hasPermission(membership, permission.MANAGE_INVITES)
    if (creator_id !== userId && !mayManage) throw new ApiError('no_permission')
    if (!(await deleteInvite(trx, code))) throw new ApiError('invite_not_found')
    const audit = [inviteChanged('invite_revoked', invite, null)]
    return { answer: { code, house_id }, events: [], audit }
  })
}

function inviteChanged(
  action: 'invite_created' | 'invite_revoked',
  before: InviteRow | null,
  after: InviteRow | null,
): AuditEntry {
  const changes = changesBetween(before, after, ['creator_id', 'max_uses', 'max_age'])
  return { action, target_type: 'invite', target_id: (after ?? before)!.code, changes }
}
