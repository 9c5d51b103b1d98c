import type { Caller } from '../../auth/queries.ts'
import { isDeadlock } from '../../database/availability/unavailable.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { type Change, commit, type Outcome } from '../../events/commit.ts'
import type { HearthEvent } from '../../events/events.ts'
import { endRelationships } from '../../friendships/operations.ts'
import { removeMembership } from '../../houses/leaving-operations.ts'
import { listHouseIds } from '../../houses/queries.ts'
import { compareIds } from '../../ids.ts'
import { leaveAllGroups } from '../../rooms/private-rooms/group-operations.ts'
import { discardFiles } from '../../storage/discard.ts'
import { pictureNames } from '../../users/operations.ts'
import { endExport } from '../exports/operations.ts'
import { requirePassword } from '../proof-operations.ts'
import { findCredentials, lockCredentials } from '../queries.ts'
import { sessionsEndedEvents } from '../sessions/operations.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { anonymizeAccount, deleteBelongings, lockAccountWithBots } from './queries.ts'

const attempts = 5

type Proven = { id: string; password_hash: string | null }
type Account = { id: string; icon: string | null; header: string | null }

/**
 * Deletes the caller's account (docs/gateway.md#messages-and-accounts). Throws `no_permission` for bots,
 * `invalid_credentials`.
 */
export async function deleteOwnAccount(
  db: Db,
  caller: Caller,
  password: string,
): Promise<Outcome<{ id: string }>> {
  if (caller.bot) throw new ApiError('no_permission')
  const account = await requirePassword(await findCredentials(db, caller.id), password, caller)
  const removed = await removeAccounts(db, account)
  if (!removed) throw new ApiError('invalid_credentials')
  return { ...removed, answer: { id: caller.id } }
}

/**
 * Deletes an account and its bots, all or nothing; undefined when it is gone already, or its
 * password is another by now (bots have none). Messages stay under the emptied account. Holds locks of many houses and
 * groups, which others may hold in another order: then it begins again.
 */
export async function removeAccounts(db: Db, account: Proven): Promise<Outcome<null> | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commit(db, (trx) => removeWithBots(trx, account))
    } catch (error) {
      if (!isDeadlock(error) || attempt === attempts) throw error
    }
  }
}

async function removeWithBots(trx: Db, { id, password_hash }: Proven): Promise<Change<null> | undefined> {
  // A bot that is being made holds its owner; only a statement that begins afterwards finds it.
  const present = await lockCredentials(trx, id)
  if (present?.password_hash !== password_hash) return undefined
  const accounts = await lockAccountWithBots(trx, id)
  const ownFirst = [...accounts].sort((one, other) => Number(other.id === id) - Number(one.id === id))
  const events: HearthEvent[] = []
  for (const account of ownFirst) events.push(...(await remove(trx, account)))
  // Last, as whoever writes a row that refers to an emptied account waits: they may hold a house that a bot is in.
  for (const { id } of accounts) await anonymizeAccount(trx, id)
  return { answer: null, events }
}

async function remove(trx: Db, account: Account): Promise<HearthEvent[]> {
  const ended = sessionsEndedEvents(await deleteSessions(trx, account.id))
  const relations = await endRelationships(trx, account.id)
  const groups = await leaveAllGroups(trx, account.id)
  const houses: HearthEvent[] = []
  for (const house_id of (await listHouseIds(trx, account.id)).sort(compareIds)) {
    houses.push(...((await removeMembership(trx, { house_id, user_id: account.id })) ?? []))
  }
  await deleteBelongings(trx, account.id)
  await endExport(trx, account.id)
  await discardFiles(trx, pictureNames(account.id, account))
  return [...ended, { type: 'account_deleted', user_id: account.id }, ...relations, ...groups, ...houses]
}
