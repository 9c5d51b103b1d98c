import { CompiledQuery, sql } from 'kysely'
import { coalesce, groupByPlace } from '../../database/batching/coalesce.ts'
import type { Db } from '../../database/client.ts'
import { epochMs } from '../../ids.ts'
import { type MessageRow, messageColumns, notExpired, onShardsOf, type StoredAttachment } from '../queries.ts'

/** The columns of a new message. */
export type NewMessage = {
  room_id: string
  id: string
  author_id: string
  device_id: string
  content: string
  mentions: readonly string[]
  exploding_age: number | null
  expires_at: Date | null
  nonce: string | null
  attachment: StoredAttachment | null
  /** The message that it answers, and the author of that one if they count as mentioned. */
  reply_to: string | null
  reply_mention: string | null
}

/**
 * Why a message was not written: its room is deleted, is locked, has a greater message id, or has a message with the same
 * nonce.
 */
export type Refusal = { id: string; reason: 'room_gone' | 'room_locked' | 'behind' | 'nonce_taken' }

/** The result of an insertion: the refused messages, in no order, and the ids of the log entries of the others, by scope. */
export type Insertion = { refusals: Refusal[]; entryIds: Map<string, string> }

/** `skipsLocked`: refuse messages to locked rooms instead of waiting. */
export type InsertOptions = { skipsLocked?: boolean }

/** The optional parts of the statement. */
type Extras = InsertOptions & { hasNonce: boolean; hasAttachment: boolean; hasReply: boolean }

/**
 * An exploding message expires its age after the time in its id. If that time differs from the clock of the database by
 * more than the time a statement may wait, the age counts from the database's present: a wrong clock of the process must
 * not let it expire at once or hours late.
 */
export const maxClockGapSeconds = 2
const expiry = `case when abs(extract(epoch from expires_at - now()) - exploding_age) < ${maxClockGapSeconds}
        then expires_at else now() + exploding_age * interval '1 second' end`

/** Only for batches with a nonce, because `on conflict` makes PostgreSQL insert a row in two steps. */
export const unlessTaken = 'on conflict (room_id, author_id, nonce) where nonce is not null do nothing'

/** Removes the attachments of written messages from the list of files to erase. */
const keptFiles = `, kept as (
      delete from discarded_files using sent
      where sent.attachment is not null and sent.id in (select id from written)
        and name = 'attachments/' || sent.room_id || '/' || (sent.attachment::jsonb ->> 'key')
    )`

/** Why `skip locked` returned no row. Without `skip locked` a missing room is deleted, even if the snapshot shows it. */
const missedRoom = `case when exists (select from rooms where id = room_id) then 'room_locked' else 'room_gone' end`

function insertStatement({ hasNonce, hasAttachment, hasReply, skipsLocked }: Extras): string {
  const replies = hasReply ? ', reply_to, reply_mention' : ''
  return `
    with sent as materialized (
      select room_id, id, author_id, device_id, content, mentions, exploding_age, nonce, attachment, ${expiry} as expires_at${replies}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[],
        $7::integer[], $8::timestamptz[], $9::text[], $10::text[]${hasReply ? ', $11::bigint[], $12::bigint[]' : ''})
      as sent (room_id, id, author_id, device_id, content, mentions, exploding_age, expires_at, nonce, attachment${replies})
    ), locked as materialized (
      select id, house_id from rooms where id = any($1::bigint[]) order by id
      for no key update ${skipsLocked ? 'skip locked' : ''}
    ), heads as materialized (
      select room_id, last_message_id from room_heads where room_id = any(array(select id from locked))
      for no key update
    ), written as (
      insert into messages
        (room_id, house_id, id, author_id, device_id, content, mentions, exploding_age, expires_at, nonce, attachment
          ${replies})
      select room_id, house_id, sent.id, author_id, device_id, content, mentions::bigint[], exploding_age, expires_at, nonce,
        attachment::jsonb${replies}
      from sent join locked on locked.id = room_id join heads using (room_id)
      where last_message_id is null or sent.id > last_message_id
      order by sent.id ${hasNonce ? unlessTaken : ''}
      returning room_id, house_id, id, author_id
    ), mentioned as (
      insert into mentions (user_id, message_id, room_id, author_id, expires_at)
      select unnest(mentions::bigint[]), id, room_id, author_id, expires_at
      from sent where mentions <> '{}' and id in (select id from written)
    ), moved as (
      update room_heads set last_message_id = newest.id
      from (select room_id, max(id) as id from written group by room_id) as newest
      where room_heads.room_id = newest.room_id
    ), staying as materialized (
      select room_id, member.user_id from written join locked on locked.id = room_id cross join lateral (
        select user_id from members where members.house_id = locked.house_id and members.user_id = author_id
        for key share skip locked
      ) as member
    ), acked as (
      insert into read_states (user_id, room_id, message_id)
      select author_id, room_id, max(id) from written
      where room_id in (select id from locked where house_id is null)
        or (room_id, author_id) in (select room_id, user_id from staying)
      group by author_id, room_id order by author_id, room_id
      on conflict (user_id, room_id) do update set message_id = excluded.message_id
    ) ${hasAttachment ? keptFiles : ''}, logged as (
      insert into events (scope, count, events)
      select coalesce(house_id, room_id), count(*), json_agg(json_build_object('type', 'message_created',
        'room_id', room_id::text, 'house_id', house_id::text, 'message_id', id::text) order by id)
      from written group by coalesce(house_id, room_id)
      returning id, scope
    )
    select id, case
        when not exists (select from locked where locked.id = room_id) then ${skipsLocked ? missedRoom : `'room_gone'`}
        when id <= (select last_message_id from heads where heads.room_id = sent.room_id) then 'behind'
        else 'nonce_taken' end as reason, null::bigint as scope
    from sent where id not in (select id from written)
    union all select id, null, scope from logged`
}

/** A refused message, or a log entry with its scope. */
type InsertedRow =
  | { id: string; reason: Refusal['reason']; scope: null }
  | { id: string; reason: null; scope: string }

const insertStatements = new Map<string, string>()

/** The statement for a batch. Its text is built once, because statements are prepared by their text. */
function compiledInsert(extras: Extras, values: unknown[]): CompiledQuery<InsertedRow> {
  const key = JSON.stringify(extras)
  const text = insertStatements.get(key) ?? insertStatement(extras)
  insertStatements.set(key, text)
  return CompiledQuery.raw(text, values)
}

/**
 * Writes messages with their mentions and events, and moves the rooms' last message and the authors' read states to them,
 * in one statement. The rooms are locked in id order, and then their heads, which a statement that waited for a room would
 * otherwise see as they were before. Under the lock a message whose id is not greater than the room's
 * last one is refused (`behind`), so that the ids of a room rise in commit order. An author who is leaving the house gets
 * no read state, as leaving deletes read states before this transaction commits.
 */
export async function insertMessages(
  db: Db,
  messages: readonly NewMessage[],
  options: InsertOptions = {},
): Promise<Insertion> {
  const column = <Name extends keyof NewMessage>(name: Name) => messages.map((message) => message[name])
  const [nonces, attachments] = [column('nonce'), column('attachment')]
  const hasNonce = nonces.some((nonce) => nonce !== null)
  const hasAttachment = attachments.some((attachment) => attachment !== null)
  const hasReply = messages.some((message) => message.reply_to !== null)
  const { rows } = await db.executeQuery(
    compiledInsert({ hasNonce, hasAttachment, hasReply, ...options }, [
      column('room_id'),
      column('id'),
      column('author_id'),
      column('device_id'),
      column('content'),
      messages.map((message) => `{${message.mentions.join(',')}}`),
      column('exploding_age'),
      column('expires_at'),
      nonces,
      attachments.map((attachment) => attachment && JSON.stringify(attachment)),
      ...(hasReply ? [column('reply_to'), column('reply_mention')] : []),
    ]),
  )
  return {
    refusals: rows.flatMap(({ id, reason }) => (reason === null ? [] : { id, reason })),
    entryIds: new Map(rows.flatMap(({ id, scope }) => (scope === null ? [] : [[scope, id]]))),
  }
}

/** Locks rooms in id order until the transaction ends. */
export async function lockRoomsToSend(db: Db, roomIds: readonly string[]): Promise<void> {
  await db
    .selectFrom('rooms')
    .select('id')
    .where('id', '=', sql<string>`any(${roomIds}::bigint[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

const nonceAgeMs = 24 * 60 * 60 * 1000

/** Whether the nonce of a message is still taken: the message is not older than 24 h, and has not exploded. */
const isNonceTaken = sql`(
  messages.id >> 22 >= (extract(epoch from now()) * 1000)::bigint - ${sql.lit(epochMs + nonceAgeMs)} and ${notExpired})`

/**
 * The message with a nonce, or undefined. Frees the nonce of a message that is older than 24 h or has exploded.
 */
export const findMessageByNonce = coalesce<
  { room_id: string; author_id: string; nonce: string },
  MessageRow | undefined
>(async (db: Db, keys) => {
  const onShards = onShardsOf(
    db,
    sql`messages`,
    keys.map((key) => key.room_id),
  )
  const { rows } = await sql<MessageRow & { place: string }>`
    with wanted as (
      select * from unnest(${keys.map((key) => key.room_id)}::bigint[], ${keys.map((key) => key.author_id)}::bigint[],
        ${keys.map((key) => key.nonce)}::text[]) with ordinality as wanted (room_id, author_id, nonce, place)
    ), freed as (
      update messages set nonce = null from wanted
      where messages.room_id = wanted.room_id and messages.author_id = wanted.author_id
        and messages.nonce = wanted.nonce and not ${isNonceTaken} ${onShards}
    )
    select place, ${messageColumns}
    from wanted join messages on messages.room_id = wanted.room_id and messages.author_id = wanted.author_id
      and messages.nonce = wanted.nonce
    where ${isNonceTaken} ${onShards}`.execute(db)
  return groupByPlace(keys.length, rows)
})
