import { sql } from 'kysely'
import type { Db } from '../db/client.ts'

export type CodePurpose = 'verify_email' | 'reset_password'

/** Keeps the hash of a code; an older one for the same purpose is cancelled. */
export async function upsertCode(
  db: Db,
  code: { user_id: string; purpose: CodePurpose; code_hash: Buffer; email: string; lifeMs: number },
): Promise<void> {
  const { user_id, purpose, code_hash, email, lifeMs } = code
  const expires_at = sql<Date>`now() + ${lifeMs} * interval '1 millisecond'`
  await db
    .insertInto('account_codes')
    .values({ user_id, purpose, code_hash, email, expires_at })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'purpose']).doUpdateSet({ code_hash, email, expires_at }),
    )
    .execute()
}

/** Whether a code is good at this moment. */
export async function isCode(db: Db, purpose: CodePurpose, codeHash: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('account_codes')
    .select('user_id')
    .where('code_hash', '=', codeHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row !== undefined
}

/** Uses a code up: whose it was and which address it proves, or undefined when it is wrong or too old. */
export function takeCode(db: Db, purpose: CodePurpose, codeHash: Buffer) {
  return db
    .deleteFrom('account_codes')
    .where('code_hash', '=', codeHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id', 'email'])
    .executeTakeFirst()
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
