import { sql } from 'kysely'
import type { Db } from '../db/client.ts'
import { fullUserColumns } from '../users/queries.ts'

/** Adds an account and gives it in its full form. Unique: `users_email_unique`, `users_username_unique`. */
export function insertAccount(
  db: Db,
  account: { id: string; username: string; name: string } & (
    | { email: string; password_hash: string }
    | { bot: true; owner_id: string }
  ),
) {
  return db.insertInto('users').values(account).returning(fullUserColumns).executeTakeFirstOrThrow()
}

/** Which of an e-mail address and a username are in use. */
export async function findTaken(db: Db, wanted: { email: string; username: string }) {
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
] as const

/** The account with an e-mail address (without case), with what proves its owner, or undefined. */
export function findCredentialsByEmail(db: Db, email: string) {
  return db
    .selectFrom('users')
    .select(credentialColumns)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirst()
}

/** The account with a username (lower case), with what proves its owner, or undefined. */
export function findCredentialsByUsername(db: Db, username: string) {
  return db
    .selectFrom('users')
    .select(credentialColumns)
    .where('username', '=', username)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** An account that is not deleted, with what proves its owner, or undefined. */
export function findCredentials(db: Db, id: string) {
  return db
    .selectFrom('users')
    .select(credentialColumns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export type CredentialsRow = NonNullable<Awaited<ReturnType<typeof findCredentials>>>
