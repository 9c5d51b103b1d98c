import { sql } from 'kysely'
import type { OidcIdentity, OidcProfile } from '../../auth/oidc.ts'
import type { Db } from '../../database/client.ts'

const expiredAtOnce = 100

/** Keeps a login that the provider has confirmed, under the hash of a code, and forgets some that are too old. */
export async function insertOidcCode(
  db: Db,
  codeHash: Buffer,
  { issuer, subject, profile }: OidcIdentity,
  lifeMs: number,
): Promise<void> {
  await sql`
    with expired as (
      select code_hash from oidc_codes where expires_at < now() order by expires_at
      limit ${sql.lit(expiredAtOnce)} for update skip locked
    ), forgotten as (
      delete from oidc_codes using expired where oidc_codes.code_hash = expired.code_hash
    )
    insert into oidc_codes (code_hash, issuer, subject, profile, expires_at)
    values (${codeHash}, ${issuer}, ${subject}, ${JSON.stringify(profile)}::jsonb,
      now() + ${lifeMs} * interval '1 millisecond')`.execute(db)
}

/** Uses a code up; undefined where it is wrong or too old. */
export async function deleteOidcCode(db: Db, codeHash: Buffer): Promise<OidcIdentity | undefined> {
  const { rows } = await sql<{ issuer: string; subject: string; profile: OidcProfile }>`
    delete from oidc_codes where code_hash = ${codeHash} and expires_at > now()
    returning issuer, subject, profile`.execute(db)
  return rows[0]
}

/** Whose identity it is, or undefined. */
export async function findIdentityHolder(
  db: Db,
  { issuer, subject }: Omit<OidcIdentity, 'profile'>,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('oidc_identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/** Lets an identity log in to an account. Unique: `oidc_identities_pkey`. */
export async function insertIdentity(
  db: Db,
  identity: { issuer: string; subject: string; user_id: string },
): Promise<void> {
  await db.insertInto('oidc_identities').values(identity).execute()
}
