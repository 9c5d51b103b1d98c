import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table houses (
      id bigint primary key,
      name text not null,
      description text,
      icon text,
      banner text,
      owner_id bigint not null references users (id),
      type integer not null default 0,
      default_permissions integer not null
    )`.execute(db)
  await sql`create index houses_by_owner on houses (owner_id)`.execute(db)

  await sql`
    create table members (
      house_id bigint not null references houses (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      joined_at timestamptz not null default now(),
      last_permission_update timestamptz,
      primary key (house_id, user_id)
    )`.execute(db)
  await sql`create index members_by_user on members (user_id)`.execute(db)
  await sql`comment on column members.last_permission_update is 'the last change of this member''s roles'`.execute(
    db,
  )

  await sql`
    create table roles (
      id bigint primary key,
      house_id bigint not null references houses (id) on delete cascade,
      name text not null,
      position integer not null default 0,
      color text not null default '#99aab5',
      allow integer not null default 0,
      deny integer not null default 0,
      constraint roles_allow_or_deny check (allow & deny = 0)
    )`.execute(db)
  await sql`create index roles_by_house on roles (house_id)`.execute(db)

  await sql`
    create table member_roles (
      house_id bigint not null,
      user_id bigint not null,
      role_id bigint not null constraint member_roles_role references roles (id) on delete cascade,
      primary key (house_id, user_id, role_id),
      constraint member_roles_member foreign key (house_id, user_id)
        references members (house_id, user_id) on delete cascade
    )`.execute(db)
  await sql`create index member_roles_by_role on member_roles (role_id)`.execute(db)

  await sql`
    create table bans (
      house_id bigint not null references houses (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      reason text,
      created_by bigint not null references users (id),
      created_at timestamptz not null default now(),
      primary key (house_id, user_id)
    )`.execute(db)
  await sql`create index bans_by_user on bans (user_id)`.execute(db)

  await sql`
    create table invites (
      code text primary key,
      house_id bigint not null references houses (id) on delete cascade,
      creator_id bigint not null references users (id),
      type integer not null default 0,
      uses integer not null default 0,
      max_uses integer,
      max_age integer,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      constraint invites_uses_within_max check (uses <= max_uses)
    )`.execute(db)
  await sql`create index invites_by_house on invites (house_id, created_at)`.execute(db)
  await sql`comment on column invites.max_age is 'seconds; expires_at is created_at and this'`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table invites, bans, member_roles, roles, members, houses`.execute(db)
}
