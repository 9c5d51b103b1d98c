import type {
  Attachment,
  EditedMessage,
  ListedMessage,
  MessageReaction,
  ReplyTo,
  SentMessage,
} from '../messages/schemas.ts'
import type { CompactUser } from '../users/schemas.ts'

/** A message in the form of the client, for all sources. */
export type Message = {
  id: string
  room_id: string
  /** null in private rooms; undefined for messages from lists, which lack it. */
  house_id: string | null | undefined
  author_id: string
  author: CompactUser
  content: string
  /** In ms since 1970. */
  timestamp: number
  /** In ms since 1970; null if never edited. */
  edited_at: number | null
  mentions: CompactUser[]
  attachment: Attachment | null
  /** When it explodes, in ms since 1970; null if it does not. */
  explodes_at: number | null
  device_id: string
  /** What it replies to; author and content are null when that message is gone. */
  reply_to: ReplyTo | null
  /** By first use; undefined where the source does not say it: the gateway does not. */
  reactions: MessageReaction[] | undefined
  pinned: boolean
}

/**
 * Converts a message from a list, the gateway, or a response of sending or editing. Only extended clients
 * (`extended: 'true'` in the query) receive what it replies to, its reactions and whether it is pinned.
 */
export function normalizeMessage(message: ListedMessage | SentMessage | EditedMessage): Message {
  const { id, room_id, author_id, content, device_id, attachment, exploding_age } = message
  const timestamp = typeof message.timestamp === 'number' ? message.timestamp : Date.parse(message.timestamp)
  const edited = 'edited_at' in message && message.edited_at !== '' ? Date.parse(message.edited_at) : null
  return {
    id,
    room_id,
    house_id: 'house_id' in message ? message.house_id : undefined,
    author_id,
    author: compact(message.author),
    content,
    timestamp,
    edited_at: edited,
    mentions: message.mentions.map(compact),
    attachment,
    explodes_at: message.exploding && exploding_age !== null ? timestamp + exploding_age * 1000 : null,
    device_id,
    reply_to: message.reply_to ?? null,
    reactions: 'reactions' in message ? message.reactions : undefined,
    pinned: message.pinned ?? false,
  }
}

function compact({ id, username, name, icon, header, flags, bot }: CompactUser): CompactUser {
  return { id, username, name, icon, header, flags, bot }
}
