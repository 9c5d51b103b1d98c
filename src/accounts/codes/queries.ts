import { sql } from 'kysely'
import type { Db } from '../../database/client.ts'

export type CodePurpose = 'verify_email' | 'reset_password'

/** Keeps the hash of a code, unless the account is deleted; an older one for the same purpose is cancelled. */
export async function upsertCode(
  db: Db,
  code: { user_id: string; purpose: CodePurpose; code_hash: Buffer; email: string; lifeMs: number },
): Promise<void> {
  const { user_id, purpose, code_hash, email, lifeMs } = code
  await sql`
    insert into account_codes (user_id, purpose, code_hash, email, expires_at)
    select id, ${purpose}, ${code_hash}, ${email}, now() + ${lifeMs} * interval '1 millisecond'
    from users where id = ${user_id} and deleted_at is null for share
    on conflict (user_id, purpose) do update
      set code_hash = excluded.code_hash, email = excluded.email, expires_at = excluded.expires_at`.execute(
    db,
  )
}

/** Whose code it is, or undefined when it is wrong or too old at this moment. */
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

/** Uses a code up: whose it was and which address it proves, or undefined when it is wrong or too old. */
export function deleteCode(db: Db, purpose: CodePurpose, codeHash: Buffer) {
  return db
    .deleteFrom('account_codes')
    .where('code_hash', '=', codeHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id', 'email'])
    .executeTakeFirst()
}

/** Cancels the codes of a user that went to another address than their present one. */
export async function deleteCodesElsewhere(db: Db, userId: string): Promise<void> {
  await sql`
    delete from account_codes using users
    where users.id = ${userId} and user_id = users.id and lower(account_codes.email) <> lower(users.email)`.execute(
    db,
  )
}

/** The address of a user that waits for its code to come back, or undefined. */
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
