import { removeAccounts } from '../accounts/deletion/operations.ts'
import { insertAccount } from '../accounts/queries.ts'
import { openSession, sessionsEndedEvents } from '../accounts/sessions/operations.ts'
import { deleteSessions, hasSession } from '../accounts/sessions/queries.ts'
import { type Db, violates } from '../database/client.ts'
import { ApiError, limitReached } from '../errors.ts'
import { commit, type Outcome } from '../events/commit.ts'
import { type HouseActor, requireHouse } from '../houses/access-operations.ts'
import { commitAudited } from '../houses/audit-log/operations.ts'
import { addMember } from '../houses/members/operations.ts'
import { findMember } from '../houses/members/queries.ts'
import type { Member } from '../houses/members/schemas.ts'
import { serializeMember } from '../houses/members/serializers.ts'
import { hasPermission, permission } from '../houses/permissions.ts'
import type { Membership } from '../houses/queries.ts'
import { asId, newId } from '../ids.ts'
import type { PictureBudget } from '../images/budget.ts'
import type { Store } from '../storage/store.ts'
import { lockUsers } from '../users/lock-queries.ts'
import { editUser } from '../users/operations.ts'
import { isReserved } from '../users/permissions.ts'
import { serializeOwnUser } from '../users/serializers.ts'
import { canAdd } from './permissions.ts'
import { type BotRow, countBots, findBot } from './queries.ts'
import type { Bot, CreateBot, CreatedBot, EditBot } from './schemas.ts'
import { serializeBot } from './serializers.ts'

/** Bots a user may have (docs/api.md#counts-and-sizes). */
export const maxBots = 25
/** The device of a bot's login session, which its owner creates. */
const noDevice = { client: '', address: '' }

/** The owner of bots; without `session_id` the operator acts for them. */
type Owner = { id: string; bot: boolean; session_id?: string }

/** A bot of the caller. Throws `bot_not_found` if it is unknown or has another owner. */
async function requireBot(db: Db, callerId: string, id: string): Promise<BotRow> {
  const found = await findBot(db, id)
  if (found?.owner_id !== callerId) throw new ApiError('bot_not_found')
  return found
}

/**
 * Creates a bot with a token (docs/api.md#bots). `also` is part of the transaction. Throws `no_permission` for bots,
 * `username_taken`, `limit_reached`, `no_auth`.
 */
export async function createBot(
  db: Db,
  caller: Owner,
  fields: CreateBot,
  also?: (trx: Db, botId: string) => Promise<void>,
): Promise<CreatedBot> {
  if (caller.bot) throw new ApiError('no_permission')
  const username = fields.username.toLowerCase()
  if (isReserved(username)) throw new ApiError('username_taken')
  try {
    return await db.transaction().execute(async (trx) => {
      await lockOwner(trx, caller)
      if ((await countBots(trx, caller.id)) >= maxBots) throw limitReached('bots')
      const account = { id: newId(), username, name: fields.name, bot: true as const, owner_id: caller.id }
      const row = await insertAccount(trx, account)
      const token = await openSession(trx, row.id, noDevice)
      await also?.(trx, row.id)
      return { user: serializeOwnUser(row), token }
    })
  } catch (error) {
    throw violates(error, 'users_username_unique') ? new ApiError('username_taken') : error
  }
}

/** Updates a bot of the caller. Throws `bot_not_found`, and as `editUser`. */
export async function editBot(
  db: Db,
  store: Store,
  budget: PictureBudget,
  callerId: string,
  id: string,
  fields: EditBot,
): Promise<Outcome<Bot>> {
  await requireBot(db, callerId, id)
  const edited = await editUser(db, store, budget, id, fields)
  if (!edited) throw new ApiError('bot_not_found')
  return { ...edited, answer: serializeBot({ ...edited.answer, owner_id: callerId }) }
}

/** Replaces the token of a bot of the caller; the old one ends at once. Throws `bot_not_found`, `no_auth`. */
export async function rotateBotToken(db: Db, caller: Owner, id: string): Promise<Outcome<{ token: string }>> {
  return commit(db, async (trx) => {
    // Locks, so that of two concurrent requests the second one ends the token of the first one.
    await lockOwner(trx, caller)
    await lockUsers(trx, [id])
    await requireBot(trx, caller.id, id)
    const ended = await deleteSessions(trx, id)
    return { answer: { token: await openSession(trx, id, noDevice) }, events: sessionsEndedEvents(ended) }
  })
}

/**
 * Locks the owner, as a password reset does, so that an ended login session cannot create a token. Throws `no_auth` if
 * the owner is deleted or the login session has ended.
 */
async function lockOwner(trx: Db, owner: Owner): Promise<void> {
  const [present] = await lockUsers(trx, [owner.id])
  const isLoggedIn = owner.session_id === undefined || (await hasSession(trx, owner.session_id))
  if (!present || !isLoggedIn) throw new ApiError('no_auth')
}

/** Deletes a bot of the caller in the same way as an account. Throws `bot_not_found`. */
export async function deleteBot(db: Db, callerId: string, id: string): Promise<Outcome<{ id: string }>> {
  await requireBot(db, callerId, id)
  const removed = await removeAccounts(db, { id, password_hash: null })
  if (!removed) throw new ApiError('bot_not_found')
  return { ...removed, answer: { id } }
}

/**
 * Adds a bot to a house; adding a member changes nothing (docs/api.md#bots). Throws `house_not_found`, `bot_not_found`
 * for a bot that is neither the caller's nor public, `no_permission`, `limit_reached`.
 */
export async function addBot(db: Db, caller: HouseActor, botId: string): Promise<Outcome<Member>> {
  const added = { house_id: caller.house_id, user_id: asId(botId) }
  await requireAddPermission(db, caller, added.user_id)
  return commitAudited(db, caller, async (trx) => {
    const events = await addMember(trx, { ...added, added_by: caller.user_id })
    // Checked again under the locks of `addMember`.
    await requireAddPermission(trx, caller, added.user_id)
    const row = await findMember(trx, added)
    const entry = { target_type: 'user', target_id: added.user_id, changes: [] } as const
    const audit = events!.length > 0 ? [{ action: 'bot_added', ...entry } as const] : []
    return { answer: serializeMember(row!), events: events!, audit }
  })
}

async function requireAddPermission(db: Db, caller: Membership, botId: string): Promise<void> {
  const membership = await requireHouse(db, caller)
  if (!canAdd(await findBot(db, botId), caller.user_id)) throw new ApiError('bot_not_found')
  if (!hasPermission(membership, permission.MANAGE_BOTS)) throw new ApiError('no_permission')
}
