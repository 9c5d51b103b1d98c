import { type Kysely, sql } from 'kysely'

/** The namespace of the advisory locks of running processes, as `src/database/node-number.ts` has it. */
const nodeLocks = 0x48525448

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`lock table rooms in share row exclusive mode`.execute(db)
  await sql`
    create table room_heads (
      room_id bigint primary key references rooms (id) on delete cascade,
      last_message_id bigint
    ) with (fillfactor = 50)`.execute(db)
  await sql`comment on table room_heads is
    'what moves with every message of a room; each room has a row, which it gets by a trigger. Half of a page is free for updates that change no index'`.execute(
    db,
  )
  await sql`comment on column room_heads.last_message_id is
    'newest message ever sent here, even if gone since; never moves back'`.execute(db)
  await sql`insert into room_heads (room_id, last_message_id) select id, last_message_id from rooms`.execute(
    db,
  )
  await sql`
    create function insert_room_head() returns trigger language plpgsql as $$
    begin
      insert into room_heads (room_id, last_message_id) values (new.id, new.last_message_id);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger rooms_have_heads after insert on rooms
    for each row execute function insert_room_head()`.execute(db)
  await forProcessesOfTheVersionBefore(db)
}

/**
 * A process of the version before locks a room as this version does, but reads and writes the pointer in `rooms`. The
 * first trigger moves what it writes. The second one gives it what others write; it costs a write per message, so it is
 * created only if a process is running, and dropped by the next start beside none (`dropUpgradeTriggers`).
 */
async function forProcessesOfTheVersionBefore(db: Kysely<unknown>): Promise<void> {
  await sql`comment on column rooms.last_message_id is
    'only for processes of the version before room_heads, which has it; right while room_heads has the trigger room_heads_move_rooms'`.execute(
    db,
  )
  await sql`
    create function move_room_head() returns trigger language plpgsql as $$
    begin
      update room_heads set last_message_id = greatest(last_message_id, new.last_message_id) where room_id = new.id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger rooms_move_heads after update of last_message_id on rooms
    for each row when (pg_trigger_depth() = 0) execute function move_room_head()`.execute(db)
  await sql`
    create function move_room_of_head() returns trigger language plpgsql as $$
    begin
      update rooms set last_message_id = greatest(rooms.last_message_id, moved.last_message_id)
      from moved where rooms.id = moved.room_id;
      return null;
    end $$`.execute(db)
  const { rows } = await sql`
    select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'advisory' and classid = ${nodeLocks}::oid and granted
    limit 1`.execute(db)
  if (rows.length === 0) return
  await sql`
    create trigger room_heads_move_rooms after update on room_heads referencing new table as moved
    for each statement when (pg_trigger_depth() = 0) execute function move_room_of_head()`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger rooms_move_heads on rooms`.execute(db)
  await sql`drop trigger rooms_have_heads on rooms`.execute(db)
  await sql`
    update rooms set last_message_id = room_heads.last_message_id from room_heads where room_id = id`.execute(
    db,
  )
  await sql`drop table room_heads`.execute(db)
  await sql`drop function move_room_of_head(), move_room_head(), insert_room_head()`.execute(db)
  await sql`comment on column rooms.last_message_id is
    'newest message ever sent here, even if gone since; never moves back'`.execute(db)
}
