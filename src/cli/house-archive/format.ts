import { type Static, Type } from '@sinclair/typebox'

/*
 * A house archive is a ZIP file: `manifest.json`, lists of JSON lines, `messages/<room>.jsonl`,
 * `reactions/<room>.jsonl`, `attachments/<room>/<key>` and the icon.
 */

export const formatName = 'hearth-house'
export const formatVersion = 1

export const iconName = 'icon.webp'
export const messagesName = (roomId: string) => `messages/${roomId}.jsonl`
export const reactionsName = (roomId: string) => `reactions/${roomId}.jsonl`
export const attachmentName = (roomId: string, key: string) => `attachments/${roomId}/${key}`

/** The names that an archive may hold. */
export const entryName =
  /^(?:manifest\.json|icon\.webp|(?:users|members|bans|roles|entities|rooms)\.jsonl|(?:messages|reactions)\/[0-9]{1,19}\.jsonl|attachments\/[0-9]{1,19}\/[0-9a-f]{32})$/

const Id = Type.String({ pattern: '^[1-9][0-9]{0,18}$' })
const Time = Type.RegExp(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** Lengths count code points. */
const Line = (most: number) => Type.RegExp(new RegExp(`^(?=[^]*\\S)[^\\p{Cc}\\p{Cs}]{1,${most}}$`, 'u'))
const Text = (most: number) => Type.RegExp(new RegExp(`^[^\\u0000\\p{Cs}]{0,${most}}$`, 'u'))
const Bits = Type.Integer({ minimum: 0, maximum: 1_048_575 })
const Position = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
const orNull = <Schema extends ReturnType<typeof Text> | typeof Id>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

export const Manifest = Type.Object({
  format: Type.Literal(formatName),
  version: Type.Literal(formatVersion),
  made_at: Time,
  house: Type.Object({
    id: Id,
    name: Line(100),
    description: orNull(Text(512)),
    owner_id: Id,
    default_permissions: Bits,
  }),
})
export type Manifest = Static<typeof Manifest>

export const User = Type.Object({
  id: Id,
  username: Type.RegExp(/^[a-z0-9][a-z0-9_.-]{1,30}[a-z0-9]$/),
  name: Line(64),
  bot: Type.Boolean(),
  owner_id: orNull(Id),
  bio: Text(512),
  location: Text(64),
  website: Type.RegExp(/^(?:https?:\/\/[^\s\p{Cc}\p{Cs}]{1,248})?$/iu),
  email: Type.Union([Type.RegExp(/^[^\s\p{Cc}\p{Cs}@]{1,190}@[\p{L}\p{N}.-]{1,63}$/u), Type.Null()]),
  is_deleted: Type.Boolean(),
})
export type User = Static<typeof User>

export const Member = Type.Object({
  user_id: Id,
  joined_at: Time,
  roles: Type.Array(Id, { maxItems: 1_000 }),
})
export type Member = Static<typeof Member>

export const Ban = Type.Object({ user_id: Id, reason: orNull(Text(512)), created_by: Id, created_at: Time })
export type Ban = Static<typeof Ban>

export const Role = Type.Object({
  id: Id,
  name: Line(64),
  position: Type.Integer({ minimum: 0, maximum: 1_000 }),
  color: Type.RegExp(/^#[0-9a-f]{6}$/),
  allow: Bits,
  deny: Bits,
})
export type Role = Static<typeof Role>

export const Entity = Type.Object({
  id: Id,
  name: Line(64),
  position: Position,
  rooms: Type.Array(Id, { maxItems: 1_000 }),
})
export type Entity = Static<typeof Entity>

export const Room = Type.Object({
  id: Id,
  name: Line(64),
  description: orNull(Text(512)),
  emoji: orNull(Line(64)),
  position: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  default_allow: Bits,
  default_deny: Bits,
  permission_overrides: Type.Union([
    Type.Null(),
    Type.Record(
      Type.String(),
      Type.Object({ id: Id, type: Type.Union([Type.Literal(0), Type.Literal(1)]), allow: Bits, deny: Bits }),
    ),
  ]),
})
export type Room = Static<typeof Room>

export const Message = Type.Object({
  id: Id,
  author_id: Id,
  device_id: Id,
  content: Text(4_000),
  mentions: Type.Array(Id, { maxItems: 50 }),
  edited_at: Type.Union([Time, Type.Null()]),
  attachment: Type.Union([
    Type.Null(),
    Type.Object({
      key: Type.RegExp(/^[0-9a-f]{32}$/),
      filename: Text(128),
      size: Type.Integer({ minimum: 0 }),
    }),
  ]),
  // The first archives have no replies and pins.
  reply_to: Type.Optional(orNull(Id)),
  reply_mention: Type.Optional(orNull(Id)),
  pinned_at: Type.Optional(Type.Union([Time, Type.Null()])),
})
export type Message = Static<typeof Message>

export const Reaction = Type.Object({
  message_id: Id,
  emoji: Type.RegExp(/^\p{RGI_Emoji}$/v),
  user_id: Id,
  place: Position,
})
