import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop function number_events`.execute(db)
  await sql`drop table event_log, events`.execute(db)
  await sql`
    create unlogged table events (
      id bigint generated always as identity,
      scope bigint not null,
      count integer not null,
      position bigint,
      events json not null
    )`.execute(db)
  await sql`comment on table events is
    'what has changed, in entries of one or more events; written by the transactions that change it, and delivered by every process in the order of the positions'`.execute(
    db,
  )
  await sql`comment on column events.scope is
    'the house, private room or user that the events are about; 0 where that is for nobody alone'`.execute(db)
  await sql`comment on column events.position is 'that of the last event; those before it have the numbers before it'`.execute(
    db,
  )
  await sql`create index events_without_position on events (id) where position is null`.execute(db)
  await sql`create unique index events_by_position on events (position) where position is not null`.execute(
    db,
  )
  await sql`create index events_by_scope on events (scope, position) where position is not null`.execute(db)
  await sql`
    create unlogged table event_log (
      epoch uuid not null default gen_random_uuid(),
      trimmed_to bigint not null default 0,
      settled_to bigint not null default 0,
      seen_to bigint not null default 0,
      seen_before xid8 not null default '0',
      is_only boolean primary key default true check (is_only)
    )`.execute(db)
  await sql`comment on table event_log is
    'one row: the epoch, which is new after the events were lost in a crash, and the newest position that was deleted'`.execute(
    db,
  )
  await sql`comment on column event_log.settled_to is
    'whatever has an id up to this one has a position, or was rolled back'`.execute(db)
  await sql`comment on column event_log.seen_to is
    'the newest id when this was written: who added one up to it has a transaction id below seen_before'`.execute(
    db,
  )
  await sql`insert into event_log default values`.execute(db)
  // The plans use the indexes alone, whatever the statistics say: a plan that was made while the log was empty would scan all of
  // it for as long as the connection lives.
  //
  // Each statement of the function sees what was committed before it began: those after the first, all that it waited for.
  // Numbered entries leave dead ones in the index of those without a position, until the next vacuum, and as long as anybody
  // may still see them; who looks for fresh ones begins after `settled_to`, and so does not pass over them.
  await sql`
    create function read_events(after bigint, at_most integer)
    returns table (epoch uuid, trimmed_to bigint, newest bigint, id bigint, "position" bigint)
    language plpgsql set enable_seqscan = off as $$
    declare
      log event_log;
      fresh record;
      last bigint;
      last_id bigint;
      oldest xid8;
    begin
      perform pg_advisory_xact_lock(x'45565453'::int);
      -- Before the entries are looked for: what ends only after that may have added one that is not found.
      oldest := pg_snapshot_xmin(pg_current_snapshot());
      select * into log from event_log where is_only;
      select greatest((select max(events.position) from events), log.trimmed_to, 0) into last;
      for fresh in
        select events.ctid, events.id, count from events
        where events.position is null and events.id > coalesce(log.settled_to, 0) order by events.id
      loop
        last := last + fresh.count;
        update events set position = last where events.ctid = fresh.ctid;
        last_id := fresh.id;
      end loop;
      if last_id > log.seen_to + 100 and oldest >= log.seen_before then
        update event_log set settled_to = seen_to, seen_to = last_id, seen_before = pg_current_xact_id()
        where is_only;
      end if;
      return query
        select log.epoch, log.trimmed_to, last, added.id, added.position
        from (values (1)) as always left join lateral (
          select events.id, events.position from events
          where events.position > after order by events.position limit at_most
        ) as added on true;
    end $$`.execute(db)
  await sql`comment on function read_events is
    'gives positions to the entries that were committed, in the order of their ids, and returns those after a position; it holds a lock, and so returns no more than the buffer of a connection takes'`.execute(
    db,
  )
  await sql`
    create function list_events(after bigint, up_to bigint) returns setof events
    language plpgsql stable set enable_seqscan = off as $$
    begin
      return query select * from events where position > after and position <= up_to order by position;
    end $$`.execute(db)
  await sql`
    create function list_missed(after bigint, scopes bigint[], at_most integer) returns setof events
    language plpgsql stable set enable_seqscan = off as $$
    begin
      return query
        select found.* from unnest(scopes) as wanted (scope) cross join lateral (
          select * from events where events.scope = wanted.scope and position > after order by position limit at_most
        ) as found
        order by position limit at_most;
    end $$`.execute(db)
  await sql`comment on function list_missed is
    'the entries of some scopes after a position, in order, and so many at most'`.execute(db)
  await sql`comment on function list_events is 'the entries after a position and up to another, in order'`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop function read_events, list_events, list_missed`.execute(db)
  await sql`drop table event_log, events`.execute(db)
  const { up } = await import('./0013_event_log.ts')
  await up(db)
}
