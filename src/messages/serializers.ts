import { presenceOf } from '../events/presence.ts'
import type { Member } from '../houses/members/schemas.ts'
import { serializeRole } from '../houses/roles/serializers.ts'
import { epochMs, idTimeMs } from '../ids.ts'
import type { CompactUser } from '../users/schemas.ts'
import { serializeCompactUser, serializeGatewayUser } from '../users/serializers.ts'
import { visibleName } from './attachments/queries.ts'
import type { AuthorRow, MessageRow, StoredAttachment } from './queries.ts'
import type { ListedMessageRow } from './read/page-queries.ts'
import type { Attachment, EditedGatewayMessage, GatewayMessage, Message } from './schemas.ts'

const bucketMs = 864_000_000

/** The `exploding` of other messages in house rooms, from which existing clients derive the type of the room. */
const notExplodingInHouse = null

/** The list form of a message (docs/resources.md#messages). `origin`: the server's public address. */
export function serializeMessage(row: ListedMessageRow, origin: string): Message {
  const timestampMs = idTimeMs(row.id)
  return {
    id: row.id,
    room_id: row.room_id,
    author_id: row.author_id,
    content: row.content,
    device_id: row.device_id,
    bucket: bucketOf(timestampMs),
    type: 0,
    timestamp: isoTime(timestampMs),
    edited_at: row.edited_at?.toISOString() ?? '',
    author: row.author,
    mentions: row.mentioned,
    attachment: attachment(row, origin),
    embed: {},
    metadata: null,
    exploding: row.exploding_age !== null,
    exploding_age: row.exploding_age,
  }
}

/** What the gateway form of a message needs besides its row. */
type MessageContext = {
  house_id: string | null
  author: AuthorRow
  mentioned: readonly CompactUser[]
  origin: string
}

/** The gateway form of a message (docs/resources.md#messages). */
export function serializeGatewayMessage(row: MessageRow, context: MessageContext): GatewayMessage {
  const timestamp = idTimeMs(row.id)
  const author = serializeGatewayUser(context.author)
  const notExploding = context.house_id === null ? false : notExplodingInHouse
  return {
    id: row.id,
    room_id: row.room_id,
    house_id: context.house_id,
    author_id: row.author_id,
    author,
    member: authorMember(context, author),
    content: row.content,
    timestamp,
    mentions: context.mentioned.map(serializeCompactUser),
    exploding: row.exploding_age === null ? notExploding : true,
    exploding_age: row.exploding_age,
    device_id: row.device_id,
    bucket: bucketOf(timestamp),
    attachment: attachment(row, context.origin),
  }
}

/** The edited gateway form of a message (docs/resources.md#messages). */
export function serializeEditedGatewayMessage(
  row: MessageRow,
  context: MessageContext,
): EditedGatewayMessage {
  const edited_at = row.edited_at?.toISOString() ?? ''
  return { ...serializeGatewayMessage(row, context), edited_at, embed: null, metadata: null }
}

/** The author as a member; in a private room a substitute, which existing clients need. */
function authorMember({ house_id, author }: MessageContext, user: GatewayMessage['author']): Member {
  return {
    id: author.id,
    user_id: author.id,
    house_id,
    user,
    roles: author.roles.map(serializeRole),
    presence: presenceOf(author.id),
    last_permission_update: author.last_permission_update?.toISOString() ?? null,
    joined_at: (author.joined_at ?? new Date(idTimeMs(author.id))).toISOString(),
  }
}

/** The `bucket` of a message: its ten-day partition (docs/api.md#times). */
export function bucketOf(timestampMs: number): number {
  return Math.floor((timestampMs - epochMs) / bucketMs)
}

function attachment(row: MessageRow, origin: string): Attachment | null {
  return (
    row.attachment && serializeAttachment(row.attachment, `${origin}/v1/attachments/${row.room_id}/${row.id}`)
  )
}

function serializeAttachment({ key, dimensions, ...stored }: StoredAttachment, address: string): Attachment {
  return {
    filename: visibleName(stored.filename),
    media_url: `${address}/${encodeURIComponent(stored.filename)}?key=${key}`,
    ...(dimensions && { dimensions }),
    content_type: stored.content_type,
    size: stored.size,
  }
}

const dayMs = 86_400_000
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
const threeDigits = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))
let lastDay = Number.NaN
let lastDate = ''

/**
 * The same as `toISOString` for a time in ms since 1970, but faster: the date is cached, as the messages of a page are
 * mostly of one day.
 */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / dayMs)
  if (day !== lastDay) {
    lastDay = day
    lastDate = new Date(ms).toISOString().slice(0, 11)
  }
  const seconds = Math.floor((ms - day * dayMs) / 1000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`
  return `${lastDate}${clock}.${threeDigits[ms - day * dayMs - seconds * 1000]}Z`
}
