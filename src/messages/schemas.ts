import { type Static, Type } from '@sinclair/typebox'
import { Member } from '../houses/members/schemas.ts'
import { BooleanText, IntegerText } from '../http/schemas/documented.ts'
import { Nullable } from '../http/schemas/nullable.ts'
import { PageQuery, Place } from '../http/schemas/params.ts'
import { Line, NonBlankText, Text } from '../http/schemas/strings.ts'
import { CompactUser, GatewayUser } from '../users/schemas.ts'

/** Limits of docs/api.md#field-limits, in code points. */
export const maxContentLength = 4000
export const maxNonceLength = 64
export const maxSearchLength = 200
/** In bytes (docs/api.md#counts-and-sizes). */
export const maxAttachmentBytes = 25 * 1024 * 1024
/** Limits of `exploding_age` (docs/api.md#messages). */
const minExplodingSeconds = 5
export const maxExplodingSeconds = 604_800

/** In a query: whether the answer has the keys that existing clients do not know. */
const Extended = Type.Optional(
  BooleanText({ description: '`true`: messages have the keys of extended clients' }),
)

/** Only for images. */
export const Dimensions = Type.Optional(
  Type.Object({ width: Type.Integer(), height: Type.Integer(), type: Type.String() }),
)

export const Attachment = Type.Object({
  filename: Type.String(),
  media_url: Type.String(),
  dimensions: Dimensions,
  content_type: Type.String(),
  size: Type.Integer(),
})
export type Attachment = Static<typeof Attachment>

/** The server creates no embeds: always {}. */
export const NoEmbed = Type.Object({})

/**
 * docs/resources.md#messages: the message in lists. `timestamp` and `edited_at` are ISO times, `edited_at` is `""` if
 * never edited.
 */
export const Message = Type.Object({
  id: Type.String(),
  room_id: Type.String(),
  author_id: Type.String(),
  content: Type.String(),
  device_id: Type.String(),
  bucket: Type.Integer(),
  type: Type.Integer(),
  timestamp: Type.String(),
  edited_at: Type.String(),
  author: CompactUser,
  mentions: Type.Array(CompactUser),
  attachment: Nullable(Attachment),
  embed: NoEmbed,
  metadata: Type.Null(),
  exploding: Type.Boolean(),
  exploding_age: Nullable(Type.Integer()),
})
export type Message = Static<typeof Message>

/** The message that a reply answers; author and content are null when it is gone. */
export const ReplyTo = Type.Object({
  id: Type.String(),
  author: Nullable(CompactUser),
  content: Nullable(Type.String()),
})
export type ReplyTo = Static<typeof ReplyTo>

/** An emoji on a message, with the number of those who reacted with it, and whether the caller is one of them. */
export const MessageReaction = Type.Object({
  emoji: Type.String(),
  count: Type.Integer(),
  me: Type.Boolean(),
})
export type MessageReaction = Static<typeof MessageReaction>

/** The keys that only extended clients receive (docs/resources.md#extended-messages). */
const extension = {
  reply_to: Type.Optional(Nullable(ReplyTo)),
  reactions: Type.Optional(Type.Array(MessageReaction)),
  pinned: Type.Optional(Type.Boolean()),
}
const { reactions: _, ...gatewayExtension } = extension

/** The message in lists; to an extended client with all of the optional keys, to others with none. */
export const ListedMessage = Type.Object({ ...Message.properties, ...extension })
export type ListedMessage = Static<typeof ListedMessage>

const gatewayFields = {
  id: Type.String(),
  room_id: Type.String(),
  house_id: Nullable(Type.String()),
  author_id: Type.String(),
  author: GatewayUser,
  member: Member,
  content: Type.String(),
  timestamp: Type.Integer(),
  mentions: Type.Array(CompactUser),
  exploding: Nullable(Type.Boolean()),
  exploding_age: Nullable(Type.Integer()),
  device_id: Type.String(),
  bucket: Type.Integer(),
  attachment: Nullable(Attachment),
}

/** The message on the gateway and in responses of sending (docs/resources.md#messages); `timestamp` in ms since 1970. */
export const GatewayMessage = Type.Object(gatewayFields)
export type GatewayMessage = Static<typeof GatewayMessage>

/** The message in MESSAGE_UPDATE and in responses of editing (docs/resources.md#messages). */
export const EditedGatewayMessage = Type.Object({
  ...gatewayFields,
  edited_at: Type.String(),
  embed: Type.Null(),
  metadata: Type.Null(),
})
export type EditedGatewayMessage = Static<typeof EditedGatewayMessage>

/** The message on the gateway and in the answers of sending; with the optional keys for extended clients. */
export const SentMessage = Type.Object({ ...gatewayFields, ...gatewayExtension })
export type SentMessage = Static<typeof SentMessage>

/** The message in MESSAGE_UPDATE and in the answers of editing; with the optional keys for extended clients. */
export const EditedMessage = Type.Object({ ...EditedGatewayMessage.properties, ...gatewayExtension })
export type EditedMessage = Static<typeof EditedMessage>

/** What a message in gateway form has more for extended clients. */
export type GatewayExtension = { reply_to: ReplyTo | null; pinned: boolean }

/** What a message in list form has more for extended clients. */
export type Extension = GatewayExtension & { reactions: MessageReaction[] }

/** Whether the caller is an extended client. */
export const ExtendedQuery = Type.Object({ extended: Extended }, { additionalProperties: false })

export type ExtendedQuery = Static<typeof ExtendedQuery>

/** Paging of message lists, by clients of either kind. */
export const MessagePageQuery = Type.Object(
  { ...PageQuery.properties, extended: Extended },
  { additionalProperties: false },
)
export type MessagePageQuery = Static<typeof MessagePageQuery>

const Content = NonBlankText(maxContentLength)

const Reply = {
  reply_to_id: Type.Optional(Type.String()),
  reply_mention: Type.Optional(Type.Boolean()),
}

/** `exploding_age` is ignored without `exploding: true`, so its range is checked by `missingExplodingFields`. */
export const SendMessage = Type.Object(
  {
    content: Content,
    nonce: Type.Optional(Line(maxNonceLength, { minLength: 1 })),
    exploding: Type.Optional(Nullable(Type.Boolean())),
    exploding_age: Type.Optional(Nullable(Type.Integer())),
    ...Reply,
  },
  { additionalProperties: false },
)
export type SendMessage = Static<typeof SendMessage>

/** ['exploding_age'] for an exploding message without an age in the range; else []. */
export function missingExplodingFields(body: { exploding?: unknown; exploding_age?: unknown }): string[] {
  const age = Number.isInteger(body.exploding_age) ? (body.exploding_age as number) : 0
  const isInRange = age >= minExplodingSeconds && age <= maxExplodingSeconds
  return body.exploding !== true || isInRange ? [] : ['exploding_age']
}

/** Only a message with an attachment may have blank content, which `editMessage` checks. */
export const EditMessage = Type.Object({ content: Text(maxContentLength) }, { additionalProperties: false })
export type EditMessage = Static<typeof EditMessage>

/** Existing clients use one path to edit (with `content`) and to mark as read (without). */
export const EditOrAckMessage = Type.Object(
  { content: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
)
export type EditOrAckMessage = Static<typeof EditOrAckMessage>

export const DeletedMessage = Type.Object({
  id: Type.String(),
  room_id: Type.String(),
  house_id: Nullable(Type.String()),
})
export type DeletedMessage = Static<typeof DeletedMessage>

export const Typing = Type.Object({ room_id: Type.String(), timestamp: Type.Integer() })
export type Typing = Static<typeof Typing>

const { limit, before } = PageQuery.properties

export const SearchQuery = Type.Object(
  {
    q: NonBlankText(maxSearchLength),
    author_id: Place,
    order: Type.Optional(
      Type.Union([Type.Literal('newest'), Type.Literal('best')], {
        description: 'newest first (the default), or the best of the 200 newest hits first',
      }),
    ),
    before,
    limit,
    extended: Extended,
  },
  { additionalProperties: false },
)
export type SearchQuery = Static<typeof SearchQuery>

/** The text parts of a multipart message. */
export const MediaFields = Type.Object({
  content: Type.Optional(Text(maxContentLength)),
  nonce: Type.Optional(Line(maxNonceLength, { minLength: 1 })),
  exploding: Type.Optional(BooleanText()),
  exploding_age: Type.Optional(IntegerText('^[0-9]{1,64}$', { minimum: 0 })),
  reply_to_id: Reply.reply_to_id,
  reply_mention: Type.Optional(BooleanText()),
  as_file: Type.Optional(
    BooleanText({ description: '`true`: a picture is stored byte for byte, with its metadata' }),
  ),
})
export type MediaFields = Static<typeof MediaFields>

/** The multipart body for the OpenAPI document. The parts are checked while they are read. */
export const SendMediaMessage = Type.Object({
  ...MediaFields.properties,
  file: Type.String({ format: 'binary' }),
})
