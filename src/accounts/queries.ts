import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { fullUserColumns } from '../users/queries.ts'

/** Inserts an account and returns it. Constraints: `users_email_unique`, `users_username_unique`. */
export function insertAccount(
  db: Db,
  account: { id: string; username: string; name: string } & (
    | { email: string; password_hash: string }
    | { email: string | null; email_verified: boolean }
    | { bot: true; owner_id: string }
  ),
) {
  return db.insertInto('users').values(account).returning(fullUserColumns).executeTakeFirstOrThrow()
}

/** Whether the e-mail address (compared without case) and the username (lower case) are in use. */
export async function findTakenLogin(db: Db, wanted: { email: string; username: string }) {
  const { rows } = await sql<{ email: boolean; username: boolean }>`
    select exists (select from users where lower(email) = lower(${wanted.email})) as email,
      exists (select from users where username = ${wanted.username}) as username`.execute(db)
  return rows[0]!
}

const credentialColumns = [
  ...fullUserColumns,
  'users.password_hash',
  'users.totp_secret',
  'users.totp_last_step',
  'users.totp_earlier_steps',
  'users.disabled',
] as const

/** Accounts that are not deleted, with their credentials. */
function selectCredentials(db: Db) {
  return db.selectFrom('users').select(credentialColumns).where('deleted_at', 'is', null)
}

/** The account with an e-mail address (compared without case), or undefined. */
export function findCredentialsByEmail(db: Db, email: string) {
  return selectCredentials(db).where(sql`lower(email)`, '=', sql`lower(${email})`).executeTakeFirst()
}

/** The account with a username (lower case), or undefined. */
export function findCredentialsByUsername(db: Db, username: string) {
  return selectCredentials(db).where('username', '=', username).executeTakeFirst()
}

/** An account by id, or undefined. */
export function findCredentials(db: Db, id: string) {
  return selectCredentials(db).where('id', '=', id).executeTakeFirst()
}

export type CredentialsRow = NonNullable<Awaited<ReturnType<typeof findCredentials>>>

/** Locks an account until the transaction ends; undefined if it is deleted. */
export function lockCredentials(db: Db, id: string) {
  return selectCredentials(db).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** Updates credentials of an account that is not deleted. */
export async function updateCredentials(
  db: Db,
  id: string,
  changes: {
    email?: string
    email_verified?: boolean
    password_hash?: string | null
    mfa_enabled?: boolean
    totp_secret?: string | null
    totp_last_step?: string | null
    totp_earlier_steps?: number[]
  },
): Promise<void> {
  await db.updateTable('users').set(changes).where('id', '=', id).where('deleted_at', 'is', null).execute()
}

/** Replaces the hash of a password by another hash of it. Returns whether the account still had the earlier one. */
export async function replacePasswordHash(
  db: Db,
  { id, password_hash }: Pick<CredentialsRow, 'id' | 'password_hash'>,
  next: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ password_hash: next })
    .where('id', '=', id)
    .where('password_hash', '=', password_hash)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Inserts the hashes of backup codes. */
export async function insertBackupCodes(db: Db, userId: string, hashes: Buffer[]): Promise<void> {
  await db
    .insertInto('backup_codes')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute()
}

/** Deletes a backup code. Returns whether it existed. */
export async function deleteBackupCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const row = await db
    .deleteFrom('backup_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes all backup codes of a user. */
export async function deleteBackupCodes(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('backup_codes').where('user_id', '=', userId).execute()
}
