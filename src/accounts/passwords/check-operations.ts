import { hashPassword, matchPassword, type PasswordOwner } from '../../auth/passwords.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { idTimeMs } from '../../ids.ts'
import { type CredentialsRow, findCredentials, lockCredentials, replacePasswordHash } from '../queries.ts'

/** How long a login stands for the password of an account that has none. */
const freshLoginMs = 600_000

/**
 * Returns the account if the password is right and the account is not disabled. Throws `invalid_credentials`, after the
 * same time whether the account exists or not. For a person without a password a login younger than ten minutes stands
 * for it. `owner`: the account or address whose turn to hash passwords this takes. `ifDisabled`: what is thrown instead for
 * a disabled account, after its right password.
 */
export async function requirePassword(
  db: Db,
  account: CredentialsRow | undefined,
  password: string,
  owner: PasswordOwner & { session_id?: string },
  ifDisabled: 'invalid_credentials' | 'account_disabled' = 'invalid_credentials',
): Promise<CredentialsRow> {
  const hasNone = account?.password_hash === null && !account.bot && !account.disabled
  if (hasNone && owner.session_id !== undefined && isFresh(owner.session_id)) return account
  const match = await matchPassword(password, account?.password_hash, owner)
  if (!account || match === null) throw new ApiError('invalid_credentials')
  if (account.disabled) throw new ApiError(ifDisabled)
  if (match === 'normalized') return account
  const password_hash = await hashPassword(password, owner)
  if (await replacePasswordHash(db, account, password_hash)) return { ...account, password_hash }
  // Another request has replaced the hash, or set another password.
  return requirePassword(db, await findCredentials(db, account.id), password, owner, ifDisabled)
}

/**
 * Locks an account after its password was checked. Throws `invalid_credentials` if the account was deleted or disabled, or
 * its password changed in the meantime.
 */
export async function lockVerified(trx: Db, { id, password_hash }: CredentialsRow): Promise<CredentialsRow> {
  const account = await lockCredentials(trx, id)
  if (account?.password_hash !== password_hash || account.disabled) throw new ApiError('invalid_credentials')
  return account
}

function isFresh(sessionId: string): boolean {
  return Date.now() - idTimeMs(sessionId) < freshLoginMs
}
