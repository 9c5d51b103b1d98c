import { isPassword } from '../auth/passwords.ts'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { type CredentialsRow, lockCredentials } from './queries.ts'

/** The account itself, if this is its password. Throws `invalid_credentials`, in the same time where there is none. */
export async function provePassword(
  account: CredentialsRow | undefined,
  password: string,
): Promise<CredentialsRow> {
  const isRight = await isPassword(password, account?.password_hash)
  if (!account || !isRight) throw new ApiError('invalid_credentials')
  return account
}

/**
 * Locks an account whose password was proven. Throws `invalid_credentials` if since then it was deleted, or its password
 * was changed.
 */
export async function lockProven(trx: Db, { id, password_hash }: CredentialsRow): Promise<CredentialsRow> {
  const account = await lockCredentials(trx, id)
  if (account?.password_hash !== password_hash) throw new ApiError('invalid_credentials')
  return account
}
