import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table oidc_identities (
      issuer text not null,
      subject text not null,
      user_id bigint not null references users (id) on delete cascade,
      primary key (issuer, subject)
    )`.execute(db)
  await sql`create index oidc_identities_by_user on oidc_identities (user_id)`.execute(db)
  await sql`comment on table oidc_identities is 'who may log in to an account by OpenID Connect'`.execute(db)
  await sql`
    create table oidc_codes (
      code_hash bytea primary key,
      issuer text not null,
      subject text not null,
      profile jsonb not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index oidc_codes_by_expiry on oidc_codes (expires_at)`.execute(db)
  await sql`comment on table oidc_codes is 'logins that the provider has confirmed, and the client not yet taken'`.execute(
    db,
  )
  await sql`comment on column oidc_codes.profile is '{email, email_verified, username, name}, as the provider has it'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table oidc_codes, oidc_identities`.execute(db)
}
