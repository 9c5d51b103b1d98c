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
/** The login session of a bot is opened by its owner, not by a client. */
const noDevice = { client: '', address: '' }

/** Who owns bots; without a login session it is the operator who acts for them. */
type Owner = { id: string; bot: boolean; session_id?: string }

/** A bot of the caller. Throws `bot_not_found` for one that is unknown or somebody else's. */
async function reachBot(db: Db, callerId: string, id: string): Promise<BotRow> {
  const found = await findBot(db, id)
  if (found?.owner_id !== callerId) throw new ApiError('bot_not_found')
  return found
}

/** Makes a bot with a token. Throws `no_permission` for bots, `username_taken`, `limit_reached`, `no_auth`. */
export async function createBot(db: Db, caller: Owner, fields: CreateBot): Promise<CreatedBot> {
  if (caller.bot) throw new ApiError('no_permission')
  const username = fields.username.toLowerCase()
  if (isReserved(username)) throw new ApiError('username_taken')
  try {
    return await db.transaction().execute(async (trx) => {
      await lockOwner(trx, caller)
      if ((await countBots(trx, caller.id)) >= maxBots) throw limitReached('bots')
      const account = { id: newId(), username, name: fields.name, bot: true as const, owner_id: caller.id }
      const row = await insertAccount(trx, account)
      return { user: serializeOwnUser(row), token: await openSession(trx, row.id, noDevice) }
    })
  } catch (error) {
    throw violates(error, 'users_username_unique') ? new ApiError('username_taken') : error
  }
}

/** Edits a bot of the caller. Throws `bot_not_found`, and as `editUser`. */
export async function editBot(
  db: Db,
  store: Store,
  callerId: string,
  id: string,
  fields: EditBot,
): Promise<Outcome<Bot>> {
  await reachBot(db, callerId, id)
  const edited = await editUser(db, store, id, fields)
  if (!edited) throw new ApiError('bot_not_found')
  return { ...edited, answer: serializeBot({ ...edited.answer, owner_id: callerId }) }
}

/** Gives a bot of the caller a new token; the old one ends at once. Throws `bot_not_found`, `no_auth`. */
export async function rotateBotToken(db: Db, caller: Owner, id: string): Promise<Outcome<{ token: string }>> {
  return commit(db, async (trx) => {
    // Of two requests at once, the second ends the token that the first has made.
    await lockOwner(trx, caller)
    await lockUsers(trx, [id])
    await reachBot(trx, caller.id, id)
    const ended = await deleteSessions(trx, id)
    return { answer: { token: await openSession(trx, id, noDevice) }, events: sessionsEndedEvents(ended) }
  })
}

/**
 * Locks the owner, as a reset of their password does: a login session that it has ended gives no bot a token any more.
 * Throws `no_auth`.
 */
async function lockOwner(trx: Db, owner: Owner): Promise<void> {
  const [present] = await lockUsers(trx, [owner.id])
  const isIn = owner.session_id === undefined || (await hasSession(trx, owner.session_id))
  if (!present || !isIn) throw new ApiError('no_auth')
}

/** Deletes a bot of the caller, as an account is deleted. Throws `bot_not_found`. */
export async function deleteBot(db: Db, callerId: string, id: string): Promise<Outcome<{ id: string }>> {
  await reachBot(db, callerId, id)
  const removed = await removeAccounts(db, { id, password_hash: null })
  if (!removed) throw new ApiError('bot_not_found')
  return { ...removed, answer: { id } }
}

/**
 * Adds a bot to a house; one that is there already changes nothing. Throws `house_not_found`, `bot_not_found` for one
 * that is neither the caller's nor public, `no_permission`, `limit_reached`.
 */
export async function addBot(db: Db, caller: HouseActor, botId: string): Promise<Outcome<Member>> {
  const added = { house_id: caller.house_id, user_id: asId(botId) }
  await refuseUnlessAddable(db, caller, added.user_id)
  return commitAudited(db, caller, async (trx) => {
    const events = await addMember(trx, added)
    // Again, as things are under the locks that adding has taken.
    await refuseUnlessAddable(trx, caller, added.user_id)
    const row = await findMember(trx, added)
    const entry = { target_type: 'user', target_id: added.user_id, changes: [] } as const
    const audit = events!.length > 0 ? [{ action: 'bot_added', ...entry } as const] : []
    return { answer: serializeMember(row!), events: events!, audit }
  })
}

async function refuseUnlessAddable(db: Db, caller: Membership, botId: string): Promise<void> {
  const membership = await requireHouse(db, caller)
  if (!canAdd(await findBot(db, botId), caller.user_id)) throw new ApiError('bot_not_found')
  if (!hasPermission(membership, permission.MANAGE_BOTS)) throw new ApiError('no_permission')
}
