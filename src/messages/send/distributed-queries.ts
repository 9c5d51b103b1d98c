// Sending where the message store is distributed. One statement would copy what its parts return to all workers; these,
// in one transaction, reach only those of the rooms, the authors and the mentioned users.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database/client.ts'
import { compareIds } from '../../ids.ts'
import { attachmentFileOfRow } from '../queries.ts'
import {
  type Insertion,
  type InsertOptions,
  maxClockGapSeconds,
  type NewMessage,
  type Refusal,
  unlessTaken,
} from './queries.ts'

/** The locked rooms, with their houses. */
type LockedRooms = ReadonlyMap<string, string | null>

/** Locks rooms in id order until the transaction ends; with `skipsLocked` without those that somebody else has locked. */
async function lockRooms(
  trx: Db,
  roomIds: readonly string[],
  { skipsLocked = false }: InsertOptions,
): Promise<LockedRooms> {
  const { rows } = await sql<{ id: string; house_id: string | null }>`
    select id, house_id from rooms where id = any(${roomIds}::bigint[]) order by id
    for no key update ${skipsLocked ? sql`skip locked` : sql``}`.execute(trx)
  return new Map(rows.map(({ id, house_id }) => [id, house_id]))
}

/**
 * Locks the heads of rooms, which are locked, until the transaction ends, and returns the newest message of each. What
 * another transaction has changed becomes visible on a worker a moment after its rooms are free, a new head too: this
 * statement waits for it, and Citus locks no rows of several shards otherwise.
 */
export async function lockHeads(trx: Db, roomIds: readonly string[]): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ room_id: string; last_message_id: string | null }>`
    insert into room_heads (room_id) values ${sql.join(roomIds.map((id) => sql`(${id})`))}
    on conflict (room_id) do update set last_message_id = room_heads.last_message_id
    returning room_id, last_message_id`.execute(trx)
  return new Map(rows.map(({ room_id, last_message_id }) => [room_id, last_message_id]))
}

/**
 * `insertMessages`, in a transaction of its own unless `db` is one. A room that has a greater id than the first message
 * that was written to it keeps none of them: all are refused as `behind`.
 */
export function insertOnShards(
  db: Db,
  messages: readonly NewMessage[],
  options: InsertOptions = {},
): Promise<Insertion> {
  if (db.isTransaction) return insertInTransaction(db, messages, options)
  return db.transaction().execute((trx) => insertInTransaction(trx, messages, options))
}

async function insertInTransaction(
  trx: Db,
  messages: readonly NewMessage[],
  options: InsertOptions,
): Promise<Insertion> {
  const rooms = await lockRooms(trx, roomsOf(messages), options)
  const [sent, missed] = partition(messages, ({ room_id }) => rooms.has(room_id))
  const inserted = await writeMessages(trx, sent, rooms)
  const moved = await moveHeads(trx, inserted)
  const [written, behind] = partition(inserted, ({ room_id }) => moved.has(room_id))
  await removeMessages(trx, behind)
  const ids = new Set(inserted.map(({ id }) => id))
  const taken = sent.filter(({ id }) => !ids.has(id))
  const refusals = [
    ...missed.map(({ id }): Refusal => ({ id, reason: options.skipsLocked ? 'room_locked' : 'room_gone' })),
    ...behind.map(({ id }): Refusal => ({ id, reason: 'behind' })),
    ...taken.map(({ id }): Refusal => ({ id, reason: 'nonce_taken' })),
  ]
  if (written.length === 0) return { refusals, entryIds: new Map() }
  await writeMentions(trx, written)
  await moveReadStates(trx, written, rooms)
  await keepFiles(trx, written)
  return { refusals, entryIds: await log(trx, written, rooms) }
}

function roomsOf(messages: readonly NewMessage[]): string[] {
  return [...new Set(messages.map(({ room_id }) => room_id))]
}

function partition<Item>(items: readonly Item[], fits: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))]
}

/** Gives the messages that are written: not those whose nonces are taken. As rows of `values`, each goes to its shard. */
async function writeMessages(
  trx: Db,
  sent: readonly NewMessage[],
  rooms: LockedRooms,
): Promise<NewMessage[]> {
  if (sent.length === 0) return []
  const messages = await withExpiries(trx, sent)
  const values = messages.map((message) => {
    const { room_id, id, author_id, device_id, content, exploding_age, expires_at, nonce } = message
    const { mentions, attachment, reply_to, reply_mention } = message
    return sql`(${room_id}, ${rooms.get(room_id) ?? null}, ${id}, ${author_id}, ${device_id}, ${content},
      ${`{${mentions.join(',')}}`}, ${exploding_age}, ${expires_at}, ${nonce}, ${attachment && JSON.stringify(attachment)},
      ${reply_to}, ${reply_mention})`
  })
  const { rows } = await sql<{ id: string }>`
    insert into messages (room_id, house_id, id, author_id, device_id, content, mentions, exploding_age, expires_at, nonce,
      attachment, reply_to, reply_mention)
    values ${sql.join(values)} ${sql.raw(sent.some(({ nonce }) => nonce !== null) ? unlessTaken : '')}
    returning id`.execute(trx)
  const written = new Set(rows.map(({ id }) => id))
  return messages.filter(({ id }) => written.has(id))
}

/** Messages with the times at which they expire, which depend on the clock of the database (`maxClockGapSeconds`). */
async function withExpiries(trx: Db, messages: readonly NewMessage[]): Promise<readonly NewMessage[]> {
  if (messages.every(({ exploding_age }) => exploding_age === null)) return messages
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(trx)
  const nowMs = rows[0]!.now.getTime()
  return messages.map((message) => {
    const { exploding_age, expires_at } = message
    if (exploding_age === null || expires_at === null) return message
    const laterMs = nowMs + exploding_age * 1_000
    const isNear = Math.abs(expires_at.getTime() - laterMs) < maxClockGapSeconds * 1_000
    return { ...message, expires_at: isNear ? expires_at : new Date(laterMs) }
  })
}

/** As arrays: a batch can have more mentions than a statement can have parameters. */
async function writeMentions(trx: Db, written: readonly NewMessage[]): Promise<void> {
  const rows = written.flatMap((message) => message.mentions.map((user_id) => ({ ...message, user_id })))
  if (rows.length === 0) return
  await sql`
    insert into mentions (user_id, message_id, room_id, author_id, expires_at)
    select * from unnest(${rows.map((row) => row.user_id)}::bigint[], ${rows.map(({ id }) => id)}::bigint[],
      ${rows.map((row) => row.room_id)}::bigint[], ${rows.map((row) => row.author_id)}::bigint[],
      ${rows.map((row) => row.expires_at)}::timestamptz[])`.execute(trx)
}

/** The newest of messages by a key. Their ids rise. */
function newestBy(written: readonly NewMessage[], keyOf: (message: NewMessage) => string): NewMessage[] {
  return [...new Map(written.map((message) => [keyOf(message), message])).values()]
}

/**
 * Moves the heads of the rooms to their last messages, where the first ones are newer; returns the rooms whose heads moved.
 * A head that is not visible yet moves once `lockHeads` has waited for it.
 */
async function moveHeads(trx: Db, written: readonly NewMessage[]): Promise<ReadonlySet<string>> {
  if (written.length === 0) return new Set()
  const moved = await moveVisibleHeads(trx, written)
  const rest = written.filter(({ room_id }) => !moved.has(room_id))
  if (rest.length === 0) return moved
  await lockHeads(trx, roomsOf(rest))
  return moved.union(await moveVisibleHeads(trx, rest))
}

async function moveVisibleHeads(trx: Db, written: readonly NewMessage[]): Promise<ReadonlySet<string>> {
  // Their ids rise.
  const ofRooms = [...Map.groupBy(written, ({ room_id }) => room_id)]
  const ids = ofRooms.map(([roomId]) => roomId)
  const first = ofRooms.map(([, messages]) => messages[0]!.id)
  const last = ofRooms.map(([, messages]) => messages.at(-1)!.id)
  const { rows } = await sql<{ room_id: string }>`
    update room_heads set last_message_id = new.last
    from unnest(${ids}::bigint[], ${first}::bigint[], ${last}::bigint[]) as new (room_id, first, last)
    where room_heads.room_id = new.room_id and room_heads.room_id = any(${ids}::bigint[])
      and (last_message_id is null or last_message_id < new.first)
    returning room_heads.room_id`.execute(trx)
  return new Set(rows.map(({ room_id }) => room_id))
}

async function removeMessages(trx: Db, behind: readonly NewMessage[]): Promise<void> {
  if (behind.length === 0) return
  await sql`
    delete from messages where room_id = any(${behind.map(({ room_id }) => room_id)}::bigint[])
      and id = any(${behind.map(({ id }) => id)}::bigint[])`.execute(trx)
}

/** An author who is leaving the house gets none: leaving deletes read states before this transaction commits. */
async function moveReadStates(trx: Db, written: readonly NewMessage[], rooms: LockedRooms): Promise<void> {
  const houseOf = ({ room_id }: NewMessage) => rooms.get(room_id) ?? null
  const inHouses = written.filter((message) => houseOf(message) !== null)
  const pair = (house: string | null, user: string) => `${house} ${user}`
  const members = inHouses.length > 0 ? await lockMembers(trx, inHouses.map(houseOf), inHouses) : []
  const staying = new Set(members.map((member) => pair(member.house_id, member.user_id)))
  const newest = newestBy(written, ({ author_id, room_id }) => `${author_id} ${room_id}`)
    .filter((message) => houseOf(message) === null || staying.has(pair(houseOf(message), message.author_id)))
    .sort(
      (one, other) => compareIds(one.author_id, other.author_id) || compareIds(one.room_id, other.room_id),
    )
  if (newest.length === 0) return
  await sql`
    insert into read_states (user_id, room_id, message_id)
    values ${sql.join(newest.map(({ author_id, room_id, id }) => sql`(${author_id}, ${room_id}, ${id})`))}
    on conflict (user_id, room_id) do update set message_id = excluded.message_id`.execute(trx)
}

async function lockMembers(
  trx: Db,
  houseIds: readonly (string | null)[],
  by: readonly NewMessage[],
): Promise<{ house_id: string; user_id: string }[]> {
  const { rows } = await sql<{ house_id: string; user_id: string }>`
    select members.house_id, members.user_id
    from unnest(${houseIds}::bigint[], ${by.map(({ author_id }) => author_id)}::bigint[]) as wanted (house_id, user_id)
    join members on members.house_id = wanted.house_id and members.user_id = wanted.user_id
    for key share of members skip locked`.execute(trx)
  return rows
}

/** Removes the attachments of written messages from the list of files to erase. */
async function keepFiles(trx: Db, written: readonly NewMessage[]): Promise<void> {
  const files = written.filter(({ attachment }) => attachment !== null)
  if (files.length === 0) return
  const attachments = files.map(({ attachment }) => JSON.stringify(attachment))
  const row: RawBuilder<unknown> = sql`
    unnest(${files.map(({ room_id }) => room_id)}::bigint[], ${attachments}::jsonb[]) as sent (room_id, attachment)`
  await sql`delete from discarded_files using ${row} where name = ${attachmentFileOfRow}`.execute(trx)
}

async function log(
  trx: Db,
  written: readonly NewMessage[],
  rooms: LockedRooms,
): Promise<Map<string, string>> {
  const scopes = Map.groupBy(written, ({ room_id }) => rooms.get(room_id) ?? room_id)
  const entries = [...scopes].map(([scope, messages]) => ({
    scope,
    count: messages.length,
    events: messages.map(({ room_id, id }) => {
      return { type: 'message_created', room_id, house_id: rooms.get(room_id) ?? null, message_id: id }
    }),
  }))
  const { rows } = await sql<{ id: string; scope: string }>`
    insert into events (scope, count, events)
    select * from unnest(${entries.map(({ scope }) => scope)}::bigint[], ${entries.map(({ count }) => count)}::integer[],
      ${entries.map(({ events }) => JSON.stringify(events))}::json[])
    returning id, scope`.execute(trx)
  return new Map(rows.map(({ id, scope }) => [scope, id]))
}
