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
import { requirePassword } from '../passwords/check-operations.ts'
import { findCredentials, lockCredentials } from '../queries.ts'
import { sessionsEndedEvents } from '../sessions/operations.ts'
import { deleteSessions } from '../sessions/queries.ts'
import { anonymizeAccount, deleteBelongings, lockAccountWithBots } from './queries.ts'

/** Attempts of a deletion that ends in deadlocks. */
const maxAttempts = 5

/** Without `password_hash` its owner need not agree. */
type Credentials = { id: string; password_hash?: string | null }
type Account = { id: string; icon: string | null; header: string | null }

/**
 * Deletes the caller's account and its bots (docs/gateway.md#messages-and-accounts). Throws `no_permission` for bots,
 * `invalid_credentials`.
 */
export async function deleteOwnAccount(
  db: Db,
  caller: Caller,
  password: string,
): Promise<Outcome<{ id: string }>> {
  if (caller.bot) throw new ApiError('no_permission')
  const account = await requirePassword(db, await findCredentials(db, caller.id), password, caller)
  const removed = await removeAccounts(db, account)
  if (!removed) throw new ApiError('invalid_credentials')
  return { ...removed, answer: { id: caller.id } }
}

/**
 * Deletes an account and its bots in one transaction; undefined if the account is already deleted, or its password hash
 * has changed (bots have none). Messages stay under the anonymized account. The transaction locks many houses and
 * groups, and is repeated after a deadlock. `also` is part of the transaction.
 */
export async function removeAccounts(
  db: Db,
  account: Credentials,
  also?: (trx: Db) => Promise<void>,
): Promise<Outcome<null> | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commit(db, async (trx) => {
        const removed = await removeWithBots(trx, account)
        if (removed) await also?.(trx)
        return removed
      })
    } catch (error) {
      if (!isDeadlock(error) || attempt === maxAttempts) throw error
    }
  }
}

async function removeWithBots(
  trx: Db,
  { id, password_hash }: Credentials,
): Promise<Change<null> | undefined> {
  // Creating a bot locks its owner: the bots are listed by a later statement, so that it finds the new one.
  const present = await lockCredentials(trx, id)
  if (!present || (password_hash !== undefined && present.password_hash !== password_hash)) return undefined
  const accounts = await lockAccountWithBots(trx, id)
  const ownFirst = [...accounts].sort((one, other) => Number(other.id === id) - Number(one.id === id))
  const events: HearthEvent[] = []
  for (const account of ownFirst) events.push(...(await removeAccount(trx, account)))
  // Last: a transaction that refers to an anonymized account waits for it, and may have locked the house of a bot.
  for (const { id } of accounts) await anonymizeAccount(trx, id)
  return { answer: null, events }
}

async function removeAccount(trx: Db, account: Account): Promise<HearthEvent[]> {
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
