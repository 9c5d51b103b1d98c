import { type Static, Type } from '@sinclair/typebox'
import { Member } from '../houses/members/schemas.ts'
import { Nullable } from '../http/schemas/nullable.ts'
import { PageQuery, Place } from '../http/schemas/params.ts'
import { Line, NonBlankText, Text } from '../http/schemas/strings.ts'
import { CompactUser, GatewayUser } from '../users/schemas.ts'

/** Limits of docs/api.md#field-limits, in code points. */
const maxContentLength = 4000
const maxNonceLength = 64
const maxSearchLength = 200
/** In bytes (docs/api.md#counts-and-sizes). */
export const maxAttachmentBytes = 25 * 1024 * 1024
/** Limits of `exploding_age` (docs/api.md#messages). */
const minExplodingSeconds = 5
const maxExplodingSeconds = 604_800

/** Of pictures alone. */
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

/** None are made. */
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

const gatewayFields = {
  id: Type.String(),
  room_id: Type.String(),
  house_id: Nullable(Type.String()),
  author_id: Type.String(),
  author: GatewayUser,
  member: Member,
  content: Type.String(),
  timestamp: Type.Integer(),
  mentions: Type.Array(GatewayUser),
  exploding: Nullable(Type.Boolean()),
  exploding_age: Nullable(Type.Integer()),
  device_id: Type.String(),
  bucket: Type.Integer(),
  attachment: Nullable(Attachment),
}

/** The message on the gateway and in the answers of sending: exactly these keys, `timestamp` in ms since 1970. */
export const GatewayMessage = Type.Object(gatewayFields)
export type GatewayMessage = Static<typeof GatewayMessage>

/** The message in MESSAGE_UPDATE and in the answers of editing. */
export const EditedGatewayMessage = Type.Object({
  ...gatewayFields,
  edited_at: Type.String(),
  embed: Type.Null(),
  metadata: Type.Null(),
})
export type EditedGatewayMessage = Static<typeof EditedGatewayMessage>

const Content = NonBlankText(maxContentLength)

/** The range of `exploding_age` counts only with `exploding: true`: without it the age is ignored. */
export const SendMessage = Type.Object(
  {
    content: Content,
    nonce: Type.Optional(Line(maxNonceLength, { minLength: 1 })),
    exploding: Type.Optional(Nullable(Type.Boolean())),
    exploding_age: Type.Optional(Nullable(Type.Integer())),
  },
  { additionalProperties: false },
)
export type SendMessage = Static<typeof SendMessage>

/** The fields that are missing from a message that explodes: it needs an age within the range. */
export function missingExplodingFields(body: { exploding?: unknown; exploding_age?: unknown }): string[] {
  const age = Number.isInteger(body.exploding_age) ? (body.exploding_age as number) : 0
  const isInRange = age >= minExplodingSeconds && age <= maxExplodingSeconds
  return body.exploding !== true || isInRange ? [] : ['exploding_age']
}

/** Blank content is for messages with an attachment; the row decides. */
export const EditMessage = Type.Object({ content: Text(maxContentLength) }, { additionalProperties: false })
export type EditMessage = Static<typeof EditMessage>

/** Existing clients use one path for both: with `content` it edits, without it acks. */
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
    before,
    limit,
  },
  { additionalProperties: false },
)
export type SearchQuery = Static<typeof SearchQuery>

/** The text parts beside the file of a multipart message. */
export const MediaFields = Type.Object({
  content: Type.Optional(Text(maxContentLength)),
  nonce: Type.Optional(Line(maxNonceLength, { minLength: 1 })),
  exploding: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  exploding_age: Type.Optional(Type.String({ pattern: '^[0-9]{1,64}$' })),
})
export type MediaFields = Static<typeof MediaFields>

/** The multipart body in the API document; the parts themselves are checked as they are read. */
export const SendMediaMessage = Type.Object({
  ...MediaFields.properties,
  file: Type.String({ format: 'binary' }),
})
