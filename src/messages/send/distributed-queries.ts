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
 * Locks the heads of rooms, which are locked, until the transaction ends: what another transaction has changed becomes
 * visible on a worker a moment after its rooms are free. An update, as Citus locks no rows of several shards otherwise.
 */
export async function lockHeads(trx: Db, roomIds: readonly string[]): Promise<void> {
  await sql`update room_heads set last_message_id = last_message_id
    where room_id = any(${roomIds}::bigint[])`.execute(trx)
}

/** Rooms have a greater message id than some that were to be written to them. */
class BehindRooms extends Error {
  readonly roomIds: ReadonlySet<string>
  constructor(roomIds: ReadonlySet<string>) {
    super()
    this.roomIds = roomIds
  }
}

/**
 * `insertMessages`, in a transaction of its own unless `db` is one: there the rooms must not have greater ids. Where one
 * has, which is rare, all messages to it are refused as `behind`.
 */
export async function insertOnShards(
  db: Db,
  messages: readonly NewMessage[],
  options: InsertOptions = {},
): Promise<Insertion> {
  if (db.isTransaction) return insertInTransaction(db, messages, options)
  try {
    return await db.transaction().execute((trx) => insertInTransaction(trx, messages, options))
  } catch (error) {
    if (!(error instanceof BehindRooms)) throw error
    const [behind, others] = partition(messages, ({ room_id }) => error.roomIds.has(room_id))
    const insertion = await insertOnShards(db, others, options)
    const refusals = behind.map(({ id }): Refusal => ({ id, reason: 'behind' }))
    return { ...insertion, refusals: [...refusals, ...insertion.refusals] }
  }
}

async function insertInTransaction(
  trx: Db,
  messages: readonly NewMessage[],
  options: InsertOptions,
): Promise<Insertion> {
  const rooms = await lockRooms(trx, [...new Set(messages.map(({ room_id }) => room_id))], options)
  const [sent, missed] = partition(messages, ({ room_id }) => rooms.has(room_id))
  const reason = options.skipsLocked ? 'room_locked' : 'room_gone'
  const refusals = missed.map(({ id }): Refusal => ({ id, reason }))
  const written = sent.length > 0 ? await writeMessages(trx, sent, rooms) : []
  const ids = new Set(written.map(({ id }) => id))
  for (const { id } of sent) if (!ids.has(id)) refusals.push({ id, reason: 'nonce_taken' })
  if (written.length === 0) return { refusals, entryIds: new Map() }
  await moveHeads(trx, written)
  await writeMentions(trx, written)
  await moveReadStates(trx, written, rooms)
  await keepFiles(trx, written)
  return { refusals, entryIds: await log(trx, written, rooms) }
}

function partition<Item>(items: readonly Item[], fits: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))]
}

type Written = NewMessage & { expires_at: Date | null }

/** As rows of `values`: what a statement selects, Citus would collect and copy. */
async function writeMessages(trx: Db, sent: readonly NewMessage[], rooms: LockedRooms): Promise<Written[]> {
  const expiring = await withExpiries(trx, sent)
  const values = expiring.map((message) => {
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
  return expiring.filter(({ id }) => written.has(id))
}

/** When the messages expire, as `expiry` says. */
async function withExpiries(trx: Db, messages: readonly NewMessage[]): Promise<Written[]> {
  if (messages.every(({ exploding_age }) => exploding_age === null)) return [...messages]
  const { rows } = await sql<{ now: Date }>`select now()`.execute(trx)
  const nowMs = rows[0]!.now.getTime()
  return messages.map((message) => {
    const { exploding_age, expires_at } = message
    if (exploding_age === null || expires_at === null) return message
    const laterMs = nowMs + exploding_age * 1_000
    const isNear = Math.abs(expires_at.getTime() - laterMs) < maxClockGapSeconds * 1_000
    return { ...message, expires_at: isNear ? expires_at : new Date(laterMs) }
  })
}

async function writeMentions(trx: Db, written: readonly Written[]): Promise<void> {
  const rows = written.flatMap((message) => message.mentions.map((user_id) => ({ ...message, user_id })))
  if (rows.length === 0) return
  await sql`
    insert into mentions (user_id, message_id, room_id, author_id, expires_at)
    select * from unnest(${rows.map((row) => row.user_id)}::bigint[], ${rows.map(({ id }) => id)}::bigint[],
      ${rows.map((row) => row.room_id)}::bigint[], ${rows.map((row) => row.author_id)}::bigint[],
      ${rows.map((row) => row.expires_at)}::timestamptz[])`.execute(trx)
}

/** The newest of messages by a key. Their ids rise. */
function newestBy(written: readonly Written[], keyOf: (message: Written) => string): Written[] {
  return [...new Map(written.map((message) => [keyOf(message), message])).values()]
}

/** Throws `BehindRooms`. */
async function moveHeads(trx: Db, written: readonly Written[]): Promise<void> {
  const ofRooms = [...Map.groupBy(written, ({ room_id }) => room_id)]
  const ids = ofRooms.map(([roomId]) => roomId)
  // Their ids rise.
  const first = ofRooms.map(([, messages]) => messages[0]!.id)
  const last = ofRooms.map(([, messages]) => messages.at(-1)!.id)
  const { rows } = await sql<{ room_id: string }>`
    update room_heads set last_message_id = new.last
    from unnest(${ids}::bigint[], ${first}::bigint[], ${last}::bigint[]) as new (room_id, first, last)
    where room_heads.room_id = new.room_id and room_heads.room_id = any(${ids}::bigint[])
      and (last_message_id is null or last_message_id < new.first)
    returning room_heads.room_id`.execute(trx)
  const moved = new Set(rows.map(({ room_id }) => room_id))
  const behind = new Set(ids.filter((id) => !moved.has(id)))
  if (behind.size > 0) throw new BehindRooms(behind)
}

/** An author who is leaving the house gets none: leaving deletes read states before this transaction commits. */
async function moveReadStates(trx: Db, written: readonly Written[], rooms: LockedRooms): Promise<void> {
  const houseOf = ({ room_id }: Written) => rooms.get(room_id) ?? null
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
  by: readonly Written[],
): Promise<{ house_id: string; user_id: string }[]> {
  const { rows } = await sql<{ house_id: string; user_id: string }>`
    select members.house_id, members.user_id
    from unnest(${houseIds}::bigint[], ${by.map(({ author_id }) => author_id)}::bigint[]) as wanted (house_id, user_id)
    join members on members.house_id = wanted.house_id and members.user_id = wanted.user_id
    for key share of members skip locked`.execute(trx)
  return rows
}

/** Removes the attachments of written messages from the list of files to erase. */
async function keepFiles(trx: Db, written: readonly Written[]): Promise<void> {
  const files = written.filter(({ attachment }) => attachment !== null)
  if (files.length === 0) return
  const attachments = files.map(({ attachment }) => JSON.stringify(attachment))
  const row: RawBuilder<unknown> = sql`
    unnest(${files.map(({ room_id }) => room_id)}::bigint[], ${attachments}::jsonb[]) as sent (room_id, attachment)`
  await sql`delete from discarded_files using ${row} where name = ${attachmentFileOfRow}`.execute(trx)
}

async function log(trx: Db, written: readonly Written[], rooms: LockedRooms): Promise<Map<string, string>> {
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
