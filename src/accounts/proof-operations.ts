import { isPassword, type PasswordOwner } from '../auth/passwords.ts'
import type { Db } from '../database/client.ts'
import { ApiError } from '../errors.ts'
import { type CredentialsRow, lockCredentials } from './queries.ts'

/**
 * The account itself, if this is its password, and it is not disabled. Throws `invalid_credentials`, in the same time
 * where there is none.
 */
export async function requirePassword(
  account: CredentialsRow | undefined,
  password: string,
  owner: PasswordOwner,
): Promise<CredentialsRow> {
  const isRight = await isPassword(password, account?.password_hash, owner)
  if (!account || account.disabled || !isRight) throw new ApiError('invalid_credentials')
  return account
}

/**
 * Locks an account whose password was proven. Throws `invalid_credentials` if since then it was deleted or disabled,
 * or its password was changed.
 */
export async function lockVerified(trx: Db, { id, password_hash }: CredentialsRow): Promise<CredentialsRow> {
  const account = await lockCredentials(trx, id)
  if (account?.password_hash !== password_hash || account.disabled) throw new ApiError('invalid_credentials')
  return account
}
