import { sql } from 'kysely'
import type { Db } from '../database/client.ts'
import { type HearthEvent, scopeOf } from './events.ts'
import { lockPresencesShared } from './presence-queries.ts'

/** A row of the log: events of one scope in a row, added by one transaction. */
export type Entry = { id: string; events: readonly HearthEvent[] }

/** Where an entry is in the log: `position` is that of its last event, those before it have the numbers before. */
export type EntryPosition = { id: string; position: number }

/** The entries after a position, with the state of the log: `trimmedTo` is the newest position that was deleted. */
type LogPage = { epoch: string; trimmedTo: number; newest: number; positions: EntryPosition[] }

/** Adds events to the log in the transaction of the change. Returns them with the ids of their entries. */
export async function insertEvents(trx: Db, events: readonly HearthEvent[]): Promise<Entry[]> {
  if (events.some(widensPresenceAudience)) await lockPresencesShared(trx)
  const runs = runsOfOneScope(events.flatMap(withAccessChange))
  const scopes = runs.map((run) => scopeOf(run[0]!))
  const counts = runs.map((run) => run.length)
  const texts = runs.map((run) => JSON.stringify(run.map(withoutMessage)))
  const { rows } = await sql<{ id: string }>`
    with own as materialized (select pg_current_xact_id())
    insert into events (scope, count, events)
    select scope, count, events
    from own, unnest(${scopes}::bigint[], ${counts}::integer[], ${texts}::json[]) with ordinality
      as sent (scope, count, events, place)
    order by place
    returning id`.execute(trx)
  return runs.map((run, index) => ({ id: rows[index]!.id, events: run }))
}

/** Whether somebody may see the presence of another from now on. */
function widensPresenceAudience({ type }: HearthEvent): boolean {
  return type === 'member_joined' || type === 'private_room_entered' || type === 'relationship_updated'
}

/** Precedes an event by which a user enters or leaves a house or private room with one in the scope of that user. */
function withAccessChange(event: HearthEvent): HearthEvent[] {
  switch (event.type) {
    case 'member_joined':
    case 'member_left':
    case 'private_room_entered':
    case 'private_room_left':
      return [{ type: 'access_changed', user_ids: [event.user_id] }, event]
    default:
      return [event]
  }
}

function runsOfOneScope(events: readonly HearthEvent[]): HearthEvent[][] {
  const runs: HearthEvent[][] = []
  for (const event of events) {
    const last = runs.at(-1)
    if (last && scopeOf(last[0]!) === scopeOf(event)) last.push(event)
    else runs.push([event])
  }
  return runs
}

/** The log contains only the ids of messages. */
function withoutMessage(event: HearthEvent): HearthEvent {
  if (event.type !== 'message_created' && event.type !== 'message_updated') return event
  const { message: _, ...ids } = event
  return ids
}

/**
 * Assigns positions to all committed entries, and returns those after a position, at most `limit`, in order. Undefined
 * when the log was lost in a crash. Positions assigned by one call become visible together, so nothing is ever added
 * before a position that was read. An entry that was committed before another was inserted precedes it.
 */
export async function readLog(db: Db, after: number, limit: number): Promise<LogPage | undefined> {
  const { rows } = await sql<{
    epoch: string | null
    trimmed_to: string
    newest: string
    id: string | null
    position: string
  }>`select * from read_events(${after}, ${limit})`.execute(db)
  const { epoch, trimmed_to, newest } = rows[0]!
  if (epoch === null) return undefined
  const positions = rows.flatMap(({ id, position }) =>
    id === null ? [] : { id, position: Number(position) },
  )
  return { epoch, trimmedTo: Number(trimmed_to), newest: Number(newest), positions }
}

/** The entries after a position, up to another, in order. */
export async function listEntries(db: Db, after: number, upTo: number): Promise<(Entry & EntryPosition)[]> {
  const { rows } = await sql<{ id: string; position: string; events: HearthEvent[] }>`
    select id, position, events from list_events(${after}, ${upTo})`.execute(db)
  return rows.map(({ position, ...entry }) => ({ ...entry, position: Number(position) }))
}

/** Events in order, with the newest position of the log when they were read. */
type MissedEvents = { missed: { event: HearthEvent; position: number }[]; position: number }

/**
 * The events of these scopes after a position, of `limit` entries at most. Undefined where some may have been trimmed,
 * or where the position is not in the log.
 */
export async function listMissed(
  db: Db,
  { after, scopes, limit }: { after: number; scopes: readonly string[]; limit: number },
): Promise<MissedEvents | undefined> {
  const log = await readLog(db, after, 0)
  if (!log || log.newest < after) return undefined
  // One statement reads `trimmed_to` as well, as another process may trim the log at any moment.
  const { rows } = await sql<{ trimmed_to: string; position: string | null; events: HearthEvent[] }>`
    select trimmed_to, missed.position, missed.events
    from event_log left join list_missed(${after}, ${scopes}::bigint[], ${limit}) as missed on true
    order by missed.position`.execute(db)
  const missed = rows.flatMap((row) => {
    if (row.position === null) return []
    const first = Number(row.position) - row.events.length + 1
    return row.events.map((event, index) => ({ event, position: first + index }))
  })
  const later = missed.filter(({ position }) => position > after && position <= log.newest)
  const isTrimmed = !rows[0] || later.some(({ position }) => position <= Number(rows[0]!.trimmed_to))
  return isTrimmed ? undefined : { missed: later, position: log.newest }
}

/** The number of events with a position and without one, and the newest position. */
export async function getLogSize(db: Db): Promise<{ entries: number; newest: number; waiting: number }> {
  const { rows } = await sql<{ entries: number; waiting: number; newest: string }>`
    select coalesce(sum(count) filter (where position is not null), 0)::int as entries,
      coalesce(sum(count) filter (where position is null), 0)::int as waiting,
      greatest(max(position), (select trimmed_to from event_log), 0) as newest
    from events`.execute(db)
  return { ...rows[0]!, newest: Number(rows[0]!.newest) }
}

/** Begins a new epoch, unless another process has done so. */
export async function beginEpoch(db: Db): Promise<void> {
  await sql`insert into event_log default values on conflict do nothing`.execute(db)
}

/** Deletes the entries of an epoch up to a position, but keeps the newest of each scope. */
export async function trimLog(db: Db, epoch: string, position: number): Promise<void> {
  await sql`
    with log as (
      select trimmed_to from event_log where epoch = ${epoch} and trimmed_to < ${position}
    ), newest as materialized (
      select scope, max(position) as position from events
      where position > (select trimmed_to from log) and position <= ${position} group by scope
    ), trimmed as (
      delete from events using newest where events.scope = newest.scope and events.position < newest.position
    )
    update event_log set trimmed_to = ${position} where epoch = ${epoch} and trimmed_to < ${position}`.execute(
    db,
  )
}
