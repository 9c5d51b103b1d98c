import { type Static, Type } from '@sinclair/typebox'
import { Member } from '../members/schemas.ts'
import { CompactUser, GatewayUser } from '../users/schemas.ts'

const NullableString = Type.Union([Type.String(), Type.Null()])
const NullableInteger = Type.Union([Type.Integer(), Type.Null()])

export const Attachment = Type.Object({
  filename: Type.String(),
  media_url: Type.String(),
  dimensions: Type.Optional(
    Type.Object({ width: Type.Integer(), height: Type.Integer(), type: Type.String() }),
  ),
  content_type: Type.String(),
  size: Type.Integer(),
})
export type Attachment = Static<typeof Attachment>

/** API 2.3: the message in lists. `timestamp` and `edited_at` are ISO times, `edited_at` is `""` if never edited. */
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
  attachment: Type.Union([Attachment, Type.Null()]),
  embed: Type.Object({}),
  metadata: Type.Null(),
  exploding: Type.Boolean(),
  exploding_age: NullableInteger,
})
export type Message = Static<typeof Message>

const gatewayFields = {
  id: Type.String(),
  room_id: Type.String(),
  house_id: NullableString,
  author_id: Type.String(),
  author: GatewayUser,
  member: Member,
  content: Type.String(),
  timestamp: Type.Integer(),
  mentions: Type.Array(GatewayUser),
  exploding: Type.Union([Type.Boolean(), Type.Null()]),
  exploding_age: NullableInteger,
  device_id: Type.String(),
  bucket: Type.Integer(),
  attachment: Type.Union([Attachment, Type.Null()]),
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
