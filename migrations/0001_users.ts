import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table users (
      id bigint primary key,
      username text not null constraint users_username_unique unique,
      name text not null,
      icon text,
      header text,
      flags integer not null default 0,
      bot boolean not null default false,
      public boolean not null default false,
      owner_id bigint references users (id),
      location text not null default '',
      website text not null default '',
      bio text not null default '',
      email text,
      email_verified boolean not null default false,
      password_hash text,
      mfa_enabled boolean not null default false,
      totp_secret text,
      totp_last_step bigint,
      deleted_at timestamptz,
      constraint users_bot_has_owner check (bot = (owner_id is not null))
    )`.execute(db)
  await sql`create unique index users_email_unique on users (lower(email))`.execute(db)
  await sql`create index users_by_owner on users (owner_id) where owner_id is not null`.execute(db)
  await sql`comment on column users.username is 'lower case; deleted-<id> once the account is deleted'`.execute(
    db,
  )
  await sql`comment on column users.email is 'null for bots and deleted accounts; unique without case'`.execute(
    db,
  )
  await sql`comment on column users.public is 'bots: others may add it to their houses'`.execute(db)
  await sql`comment on column users.totp_secret is 'set before mfa_enabled, while enrolment is open'`.execute(
    db,
  )
  await sql`comment on column users.totp_last_step is 'the last 30 s step whose code was used: each code works once'`.execute(
    db,
  )

  await sql`
    create table sessions (
      id bigint primary key,
      user_id bigint not null references users (id) on delete cascade,
      token_hash bytea not null constraint sessions_token_unique unique,
      last_seen_at timestamptz not null default now(),
      client text not null default '',
      address text not null default ''
    )`.execute(db)
  await sql`create index sessions_by_user on sessions (user_id, id)`.execute(db)
  await sql`comment on column sessions.token_hash is 'SHA-256 of the token; the token itself is not kept'`.execute(
    db,
  )

  await sql`
    create table account_codes (
      user_id bigint not null references users (id) on delete cascade,
      purpose text not null constraint account_codes_purpose check (purpose in ('verify_email', 'reset_password')),
      code_hash bytea not null constraint account_codes_code_unique unique,
      email text,
      expires_at timestamptz not null,
      primary key (user_id, purpose)
    )`.execute(db)
  await sql`comment on column account_codes.email is 'the address the code proves, which may not be the present one yet'`.execute(
    db,
  )

  await sql`
    create table backup_codes (
      user_id bigint not null references users (id) on delete cascade,
      code_hash bytea not null,
      primary key (user_id, code_hash)
    )`.execute(db)

  await sql`
    create table settings (
      user_id bigint primary key references users (id) on delete cascade,
      theme text constraint settings_theme check (theme = 'dark'),
      onboarded boolean not null default false,
      enable_desktop_notifications boolean
    )`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table settings, backup_codes, account_codes, sessions, users`.execute(db)
}
