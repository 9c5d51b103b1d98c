import { type RawBuilder, sql } from 'kysely'
import { coalesce, groupByPlace } from '../../database/batching/coalesce.ts'
import { prepareRead } from '../../database/batching/reads.ts'
import { type Db, isDistributed } from '../../database/client.ts'
import { type CompactUserRow, compactUserJson } from '../../users/queries.ts'
import { onShardsOf } from '../queries.ts'

/** Of the content of a message that a reply answers, in code points (docs/resources.md#extended-messages). */
const maxQuoteLength = 200

/** A message that can be answered, or is. */
export type RepliedRow = { id: string; author: CompactUserRow; content: string }

const quote = sql`left(replied.content, ${sql.lit(maxQuoteLength)})`
const notExpired = sql`(replied.expires_at is null or replied.expires_at > now())`

/** A message to reply to, or undefined. */
export const findReplied = coalesce<{ room_id: string; id: string }, RepliedRow | undefined>(
  async (db: Db, keys) => {
    const roomIds = keys.map((key) => key.room_id)
    const { rows } = await sql<RepliedRow & { place: string }>`
      select place, replied.id, ${quote} as content, ${compactUserJson} as author
      from unnest(${roomIds}::bigint[], ${keys.map((key) => key.id)}::bigint[])
        with ordinality as wanted (room_id, id, place)
      join messages as replied on replied.room_id = wanted.room_id and replied.id = wanted.id
      join users on users.id = replied.author_id
      where ${notExpired} ${onShardsOf(db, sql`replied`, roomIds)}`.execute(db)
    return groupByPlace(keys.length, rows)
  },
)

/** What messages have more for extended clients; `author` and `content` are null when the replied message is gone. */
export type GatewayExtensionRow = {
  reply_to: string | null
  author: CompactUserRow | null
  content: string | null
  pinned: boolean
}

const gatewayExtension = sql`
  messages.reply_to, ${quote} as content, case when users.id is not null then ${compactUserJson} end as author`
const pinned = sql`
  exists (select from pins where pins.room_id = messages.room_id and pins.message_id = messages.id)`
const joins = sql`
  join messages on messages.room_id = wanted.room_id and messages.id = wanted.id
  left join messages as replied
    on replied.room_id = messages.room_id and replied.id = messages.reply_to and ${notExpired}
  left join users on users.id = replied.author_id`

/** What a message in gateway form has more, or undefined when it is gone. */
export const findGatewayExtension = coalesce<
  { room_id: string; id: string },
  GatewayExtensionRow | undefined
>(async (db: Db, keys) => {
  const roomIds = keys.map((key) => key.room_id)
  const { rows } = await sql<GatewayExtensionRow & { place: string }>`
    select place, ${gatewayExtension}, ${pinned} as pinned
    from unnest(${roomIds}::bigint[], ${keys.map((key) => key.id)}::bigint[])
      with ordinality as wanted (room_id, id, place)
    ${joins} where true ${onShardsOf(db, sql`messages`, roomIds)}`.execute(db)
  return groupByPlace(keys.length, rows)
})

/** The same with the reactions, by first use, as tuples: whether the caller is among those who reacted comes last. */
export type ExtensionRow = GatewayExtensionRow & {
  room_id: string
  id: string
  reactions: [emoji: string, count: number, me: boolean][]
}

type Places = { roomIds: readonly string[]; ids: readonly string[]; user_id: string }

const readExtensions = prepareRead((places: Places) => selectExtensions(places, sql``))
const readExtensionsOnShards = prepareRead((places: Places) =>
  selectExtensions(places, sql`messages.room_id = any(${places.roomIds}::bigint[]) and`),
)

function selectExtensions({ roomIds, ids, user_id }: Places, onShards: RawBuilder<unknown>) {
  const listed = sql`
    select json_agg(json_build_array(emoji, count, ${hasReacted(user_id)}) order by place)
    from reaction_counts as counts
    where counts.room_id = messages.room_id and counts.message_id = messages.id`
  return sql<ExtensionRow>`
    select messages.room_id, messages.id, ${gatewayExtension}, ${pinned} as pinned,
      coalesce(reactions.listed, '[]') as reactions
    from unnest(${roomIds}::bigint[], ${ids}::bigint[]) as wanted (room_id, id)
    ${joins} left join lateral (${listed}) as reactions (listed) on true
    where ${onShards} (messages.reply_to is not null or reactions.listed is not null or ${pinned})`
}

function hasReacted(userId: string): RawBuilder<unknown> {
  return sql`exists (
    select from reactions
    where reactions.room_id = counts.room_id and reactions.message_id = counts.message_id
      and reactions.emoji = counts.emoji and reactions.user_id = ${userId})`
}

/** What messages have more for an extended client of a user: those that are replies, or have reactions or a pin. */
export async function listExtensions(
  db: Db,
  user_id: string,
  places: readonly { room_id: string; id: string }[],
): Promise<ExtensionRow[]> {
  if (places.length === 0) return []
  const roomIds = places.map((place) => place.room_id)
  const read = isDistributed(db) ? readExtensionsOnShards : readExtensions
  return read(db, { roomIds, ids: places.map((place) => place.id), user_id })
}
