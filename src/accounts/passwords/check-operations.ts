import { isPassword, type PasswordOwner } from '../../auth/passwords.ts'
import type { Db } from '../../database/client.ts'
import { ApiError } from '../../errors.ts'
import { type CredentialsRow, lockCredentials } from '../queries.ts'

/**
 * Returns the account if the password is right. Throws `invalid_credentials`, after the same time whether the account
 * exists or not. `owner`: the account or address whose turn to hash passwords this takes.
 */
export async function requirePassword(
  account: CredentialsRow | undefined,
  password: string,
  owner: PasswordOwner,
): Promise<CredentialsRow> {
  const isRight = await isPassword(password, account?.password_hash, owner)
  if (!account || !isRight) throw new ApiError('invalid_credentials')
  return account
}

/**
 * Locks an account after its password was checked. Throws `invalid_credentials` if the account was deleted or its
 * password changed in the meantime.
 */
export async function lockVerified(trx: Db, { id, password_hash }: CredentialsRow): Promise<CredentialsRow> {
  const account = await lockCredentials(trx, id)
  if (account?.password_hash !== password_hash) throw new ApiError('invalid_credentials')
  return account
}
