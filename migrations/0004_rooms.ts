import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rooms (
      id bigint primary key,
      type smallint not null constraint rooms_type check (type in (0, 1, 2)),
      house_id bigint references houses (id) on delete cascade,
      owner_id bigint references users (id),
      user_low bigint references users (id),
      user_high bigint references users (id),
      name text,
      description text,
      emoji text,
      position integer,
      last_message_id bigint,
      permission_overrides jsonb,
      default_allow integer not null default 0,
      default_deny integer not null default 0,
      constraint rooms_house_room check ((type = 0) = (house_id is not null)),
      constraint rooms_house_room_has_place check ((type = 0) = (position is not null and name is not null)),
      constraint rooms_group_has_owner check ((type = 2) = (owner_id is not null)),
      constraint rooms_pair check ((type = 1) = (user_low is not null and user_high is not null)),
      constraint rooms_pair_in_order check (user_low < user_high),
      constraint rooms_allow_or_deny check (default_allow & default_deny = 0)
    )`.execute(db)
  await sql`create unique index rooms_one_per_pair on rooms (user_low, user_high)`.execute(db)
  await sql`create index rooms_by_house on rooms (house_id, position, id) where house_id is not null`.execute(
    db,
  )
  await sql`create index rooms_by_owner on rooms (owner_id) where owner_id is not null`.execute(db)
  await sql`create index rooms_by_pair_high on rooms (user_high) where user_high is not null`.execute(db)
  await sql`comment on column rooms.type is '0 house room, 1 one-to-one, 2 private group'`.execute(db)
  await sql`comment on column rooms.user_low is 'one-to-one: the smaller of the two user ids'`.execute(db)
  await sql`comment on column rooms.emoji is 'the name of the emoji'`.execute(db)
  await sql`comment on column rooms.last_message_id is 'newest message ever sent here, even if gone since; never moves back'`.execute(
    db,
  )
  await sql`comment on column rooms.permission_overrides is
    'object: role or user id → {id text, type 0 role | 1 user, allow, deny}; null when there is none'`.execute(
    db,
  )

  await sql`
    create table room_recipients (
      room_id bigint not null references rooms (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      joined_at timestamptz not null default clock_timestamp(),
      primary key (room_id, user_id)
    )`.execute(db)
  await sql`create index room_recipients_by_user on room_recipients (user_id)`.execute(db)

  await sql`
    create table entities (
      id bigint primary key,
      house_id bigint not null references houses (id) on delete cascade,
      name text not null,
      type smallint not null default 1,
      position integer not null
    )`.execute(db)
  await sql`create index entities_by_house on entities (house_id, position)`.execute(db)

  await sql`
    create table entity_rooms (
      room_id bigint primary key references rooms (id) on delete cascade,
      entity_id bigint not null references entities (id) on delete cascade,
      position integer not null
    )`.execute(db)
  await sql`create index entity_rooms_by_entity on entity_rooms (entity_id, position)`.execute(db)
  await sql`comment on table entity_rooms is 'resource pointers: a room stands in one entity at most'`.execute(
    db,
  )

  await sql`
    create table room_settings (
      user_id bigint not null references users (id) on delete cascade,
      room_id bigint not null references rooms (id) on delete cascade,
      notification_preference smallint not null,
      primary key (user_id, room_id)
    )`.execute(db)
  await sql`create index room_settings_by_room on room_settings (room_id)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table room_settings, entity_rooms, entities, room_recipients, rooms`.execute(db)
}
