import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'

export type CodePurpose = 'verify_email' | 'reset_password'

/** The hashes of a code and of its short form (src/auth/short-codes.ts). */
export type CodeHashes = { code_hash: Buffer; short_prefix: string; short_hash: Buffer }

type NewCode = CodeHashes & { user_id: string; purpose: CodePurpose; email: string; ageMs: number }

/** Wrong guesses of a short form after which only the long form of the code is valid. */
const maxShortAttempts = 5

/** Stores the hashes of a code, unless the account is deleted, in place of the earlier one for the same purpose. */
export async function upsertCode(db: Db, code: NewCode): Promise<void> {
  await upsertWhere(db, code, sql``)
}

/**
 * The same, unless the account has another address by now: a change of it either is seen here, or sees the code and
 * deletes it. Returns whether the code was stored.
 */
export function upsertCodeOfAddress(db: Db, code: NewCode): Promise<boolean> {
  return upsertWhere(db, code, sql`and lower(email) = lower(${code.email})`)
}

async function upsertWhere(db: Db, code: NewCode, condition: RawBuilder<unknown>): Promise<boolean> {
  const { user_id, purpose, code_hash, short_prefix, short_hash, email, ageMs } = code
  const { rows } = await sql`
    insert into account_codes (user_id, purpose, code_hash, short_prefix, short_hash, email, expires_at)
    select id, ${purpose}, ${code_hash}, ${short_prefix}, ${short_hash}, ${email},
      now() + ${ageMs} * interval '1 millisecond'
    from users where id = ${user_id} and deleted_at is null ${condition} for share
    on conflict (user_id, purpose) do update
      set code_hash = excluded.code_hash, short_prefix = excluded.short_prefix, short_hash = excluded.short_hash,
        attempts = 0, email = excluded.email, expires_at = excluded.expires_at
    returning user_id`.execute(db)
  return rows.length > 0
}

/** Replaces a code that is still valid for this address, for its full age. Returns whether there was one. */
export async function replaceCode(db: Db, code: NewCode): Promise<boolean> {
  const { user_id, purpose, email, ageMs, ...hashes } = code
  const { numUpdatedRows } = await db
    .updateTable('account_codes')
    .set({ ...hashes, attempts: 0, expires_at: sql<Date>`now() + ${ageMs} * interval '1 millisecond'` })
    .where('user_id', '=', user_id)
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The codes whose short form begins so, each of which counts a guess by that. */
export function countShortAttempt(db: Db, purpose: CodePurpose, shortPrefix: string) {
  return db
    .updateTable('account_codes')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('short_prefix', '=', shortPrefix)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('attempts', '<', maxShortAttempts)
    .returning(['code_hash', 'short_hash'])
    .execute()
}

/** The id of the user whose code this is, or undefined if the code is unknown or expired. */
export async function findCodeHolder(
  db: Db,
  purpose: CodePurpose,
  codeHash: Buffer,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('account_codes')
    .select('user_id')
    .where('code_hash', '=', codeHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.user_id
}

/** Deletes a code. Returns its user and address, or undefined if the code is unknown or expired. */
export function deleteCode(db: Db, purpose: CodePurpose, codeHash: Buffer) {
  return db
    .deleteFrom('account_codes')
    .where('code_hash', '=', codeHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id', 'email'])
    .executeTakeFirst()
}

/** Deletes the codes of a user that were sent to another address than the present one. */
export async function deleteCodesElsewhere(db: Db, userId: string): Promise<void> {
  await sql`
    delete from account_codes using users
    where users.id = ${userId} and user_id = users.id and lower(account_codes.email) is distinct from lower(users.email)`.execute(
    db,
  )
}

/** Deletes all codes of a user. */
export async function deleteCodes(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('account_codes').where('user_id', '=', userId).execute()
}

/** The address of a user whose verification is pending, or undefined. */
export async function findPendingEmail(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('account_codes')
    .select('email')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'verify_email')
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.email ?? undefined
}
