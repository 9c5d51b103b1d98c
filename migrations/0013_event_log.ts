import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table events (
      id bigint generated always as identity,
      position bigint,
      event json not null
    )`.execute(db)
  // An event is in one of them at a time: each more would cost every event twice.
  await sql`create index events_without_position on events (id) where position is null`.execute(db)
  await sql`create unique index events_by_position on events (position) where position is not null`.execute(
    db,
  )
  await sql`comment on table events is
    'what has changed; written by the transactions that change it, and delivered by every process in the order of the positions'`.execute(
    db,
  )
  await sql`
    create unlogged table event_log (
      epoch uuid not null default gen_random_uuid(),
      trimmed_to bigint not null default 0,
      is_only boolean primary key default true check (is_only)
    )`.execute(db)
  await sql`comment on table event_log is
    'one row: the epoch, which is new after the events were lost in a crash, and the newest position that was deleted'`.execute(
    db,
  )
  await sql`insert into event_log default values`.execute(db)
  // Each statement of the function sees what was committed before it began: those after the first, all that it waited for.
  // Row by row: whatever the statistics say, each costs the same. A scan of the whole log would cost more with each entry.
  await sql`
    create function number_events() returns void language plpgsql set enable_seqscan = off as $$
    declare
      fresh record;
      newest bigint;
    begin
      perform pg_advisory_xact_lock(x'45565453'::int);
      select greatest((select max(position) from events), (select trimmed_to from event_log where is_only), 0)
      into newest;
      for fresh in select ctid from events where position is null order by id loop
        newest := newest + 1;
        update events set position = newest where ctid = fresh.ctid;
      end loop;
    end $$`.execute(db)
  await sql`comment on function number_events is
    'gives positions to the events that were committed, in the order of their ids; it holds a lock, and so returns nothing that somebody might be slow to receive'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop function number_events`.execute(db)
  await sql`drop table event_log, events`.execute(db)
}
