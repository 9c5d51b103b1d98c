import { findCredentialsByEmail } from '../accounts/queries.ts'
import type { Db } from '../database/client.ts'
import { isEmail } from '../http/schemas/validation.ts'
import { findUserByRef } from '../users/operations.ts'

/** The account with this id, username or e-mail address, or undefined. */
export async function findAccountByRef(
  db: Db,
  ref: string,
): Promise<{ id: string; username: string; bot: boolean } | undefined> {
  return isEmail(ref) ? findCredentialsByEmail(db, ref) : findUserByRef(db, ref)
}
