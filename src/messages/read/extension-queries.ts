import { type RawBuilder, sql } from 'kysely'
import { coalesce, groupByPlace } from '../../database/batching/coalesce.ts'
import { prepareRead } from '../../database/batching/reads.ts'
import { type Db, isDistributed } from '../../database/client.ts'
import { type CompactUserRow, findCompactUsers } from '../../users/queries.ts'
import { onShardsOf } from '../queries.ts'

/** Of the content of a message that a reply answers, in code points (docs/resources.md#extended-messages). */
const maxQuoteLength = 200

/** A message that can be answered, or is. */
export type RepliedRow = { id: string; author: CompactUserRow; content: string }

const quote = sql`left(replied.content, ${sql.lit(maxQuoteLength)})`
const notExpired = sql`(replied.expires_at is null or replied.expires_at > now())`

/** A row with the author of a message, or null. */
type Authored = { author_id: string | null }

/** Rows with the users whose ids they have. */
async function withAuthors<Row extends Authored>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & { author: CompactUserRow | null })[]> {
  const ids = new Set(rows.flatMap((row) => row.author_id ?? []))
  const people = ids.size === 0 ? undefined : await findCompactUsers(db, [...ids])
  return rows.map((row) => ({ ...row, author: people?.get(row.author_id ?? '') ?? null }))
}

type Place = { room_id: string; id: string }

function columnsOf(places: readonly Place[]): { roomIds: string[]; ids: string[] } {
  return { roomIds: places.map((place) => place.room_id), ids: places.map((place) => place.id) }
}

/** A message to reply to, or undefined. */
export const findReplied = coalesce<Place, RepliedRow | undefined>(async (db: Db, keys) => {
  const { roomIds, ids } = columnsOf(keys)
  const { rows } = await sql<{ place: string; id: string; content: string; author_id: string }>`
    select place, replied.id, ${quote} as content, replied.author_id
    from unnest(${roomIds}::bigint[], ${ids}::bigint[]) with ordinality as wanted (room_id, id, place)
    join messages as replied on replied.room_id = wanted.room_id and replied.id = wanted.id
    where ${notExpired} ${onShardsOf(db, sql`replied`, roomIds)}`.execute(db)
  const found = await withAuthors(db, rows)
  return groupByPlace(
    keys.length,
    found.map(({ author, ...row }) => ({ ...row, author: author! })),
  )
})

/** What messages have more for extended clients; `author` and `content` are null when the replied message is gone. */
export type GatewayExtensionRow = {
  reply_to: string | null
  author: CompactUserRow | null
  content: string | null
  pinned: boolean
}

type StoredExtension = Omit<GatewayExtensionRow, 'author'> & Authored

const gatewayExtension = sql`
  messages.reply_to, ${quote} as content, replied.author_id, pins.message_id is not null as pinned`
const joins = sql`
  join messages on messages.room_id = wanted.room_id and messages.id = wanted.id
  left join messages as replied
    on replied.room_id = messages.room_id and replied.id = messages.reply_to and ${notExpired}
  left join pins on pins.room_id = messages.room_id and pins.message_id = messages.id`

/** What a message in gateway form has more, or undefined when it is gone. */
export const findGatewayExtension = coalesce<Place, GatewayExtensionRow | undefined>(async (db: Db, keys) => {
  const { roomIds, ids } = columnsOf(keys)
  const { rows } = await sql<StoredExtension & { place: string }>`
    select place, ${gatewayExtension}
    from unnest(${roomIds}::bigint[], ${ids}::bigint[]) with ordinality as wanted (room_id, id, place)
    ${joins} where true ${onShardsOf(db, sql`messages`, roomIds)}`.execute(db)
  return groupByPlace(keys.length, await withAuthors(db, rows))
})

type Reactions = { reactions: [emoji: string, count: number, me: boolean][] }

/** The same with the reactions, by first use, as tuples: whether the caller is among those who reacted comes last. */
export type ExtensionRow = GatewayExtensionRow & Place & Reactions

type Places = { roomIds: readonly string[]; ids: readonly string[]; user_id: string }

const readExtensions = prepareRead((places: Places) => selectExtensions(places))
// Citus finds the shard of a statement with such joins only where each table is compared with one room. A page is in one.
const readExtensionsOnShard = prepareRead((places: Places & { room_id: string }) =>
  selectExtensions(places, (table) => sql`and ${table}.room_id = ${places.room_id}`),
)

/** A further condition for the rows of a table. */
type Narrowing = (table: RawBuilder<unknown>) => RawBuilder<unknown>

function selectExtensions({ roomIds, ids, user_id }: Places, inRoom: Narrowing = () => sql``) {
  const listed = sql`
    select json_agg(json_build_array(emoji, count, ${hasReacted(user_id, inRoom)}) order by place)
    from reaction_counts as counts
    where counts.room_id = messages.room_id and counts.message_id = messages.id ${inRoom(sql`counts`)}`
  return sql<StoredExtension & Place & Reactions>`
    select messages.room_id, messages.id, ${gatewayExtension}, coalesce(reactions.listed, '[]') as reactions
    from unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
    ${joins} left join lateral (${listed}) as reactions (listed) on true
    where (messages.reply_to is not null or reactions.listed is not null or pins.message_id is not null)
      ${inRoom(sql`messages`)}`
}

function hasReacted(userId: string, inRoom: Narrowing): RawBuilder<unknown> {
  return sql`exists (
    select 1 from reactions
    where reactions.room_id = counts.room_id and reactions.message_id = counts.message_id
      and reactions.emoji = counts.emoji and reactions.user_id = ${userId} ${inRoom(sql`reactions`)})`
}

/** What messages have more for an extended client of a user: those that are replies, or have reactions or a pin. */
export async function listExtensions(
  db: Db,
  user_id: string,
  places: readonly Place[],
): Promise<ExtensionRow[]> {
  const [first] = places
  if (!first) return []
  const { room_id } = first
  const isOneRoom = places.every((place) => place.room_id === room_id)
  const wanted = { ...columnsOf(places), user_id }
  const rows =
    isOneRoom && isDistributed(db)
      ? readExtensionsOnShard(db, { ...wanted, room_id })
      : readExtensions(db, wanted)
  return withAuthors(db, await rows)
}
