import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { RetentionAge } from '../../houses/retention/schemas.ts'
import { PermissionBits } from '../../houses/roles/schemas.ts'
import { HouseDescription, maxHouseNameLength } from '../../houses/schemas.ts'
import { Nullable } from '../../http/schemas/nullable.ts'
import { AnyText, Line, Text } from '../../http/schemas/strings.ts'
import { maxEmailLength } from '../../http/schemas/validation.ts'
import { maxFilenameLength } from '../../messages/attachments/operations.ts'
import { maxMentions } from '../../messages/read/mention-operations.ts'
import { maxContentLength } from '../../messages/schemas.ts'
import { EmojiName } from '../../rooms/house-rooms/schemas.ts'
import { isVisible } from '../../text.ts'
import { Bio, Location, maxNameLength, maxTextLength, Username, Website } from '../../users/schemas.ts'

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

/** What an archive may have at most; `export-house` makes none that has more. */
export const maxEntries = 300_000
/** What is read into memory as a whole: lists of users, members … */
export const maxListBytes = 64 * 2 ** 20

const Id = Type.String({ pattern: '^[1-9][0-9]{0,18}$' })
const Time = Type.String({ format: 'archived_time' })
const Position = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
/** Far below the maximum of the column, because a new room gets the greatest position plus one. */
const maxRoomPosition = 1_000_000_000

/** A name. One that is older than the rule that something of a name is seen may be empty once it is cleaned. */
function StoredName(maxLength = maxNameLength) {
  return Line(maxLength, { 'x-cleaned': true })
}

/** A name as it is imported. */
export function seenName(name: string, otherwise = 'unnamed'): string {
  return isVisible(name) ? name : otherwise
}

/** Unknown fields are dropped. */
function Row<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

export const Manifest = Row({
  format: Type.Literal(formatName),
  version: Type.Literal(formatVersion),
  made_at: Time,
  house: Row({
    id: Id,
    name: StoredName(maxHouseNameLength),
    description: HouseDescription,
    owner_id: Id,
    default_permissions: PermissionBits,
    /** How long messages stay, in seconds. The first archives do not have it. */
    max_age: Type.Optional(Nullable(RetentionAge)),
  }),
})
export type Manifest = Static<typeof Manifest>

export const User = Row({
  id: Id,
  username: Username,
  name: StoredName(),
  bot: Type.Boolean(),
  owner_id: Nullable(Id),
  bio: Bio,
  location: Location,
  website: Website,
  /** A provider of logins may have said what is no address here. */
  email: Nullable(AnyText({ maxLength: maxEmailLength })),
  is_deleted: Type.Boolean(),
})
export type User = Static<typeof User>

export const Member = Row({
  user_id: Id,
  joined_at: Time,
  roles: Type.Array(Id, { maxItems: 1_000 }),
})
export type Member = Static<typeof Member>

export const Ban = Row({
  user_id: Id,
  reason: Nullable(Text(maxTextLength)),
  created_by: Id,
  created_at: Time,
})
export type Ban = Static<typeof Ban>

export const Role = Row({
  id: Id,
  name: StoredName(),
  position: Type.Integer({ minimum: 0, maximum: 1_000 }),
  color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
  allow: PermissionBits,
  deny: PermissionBits,
})
export type Role = Static<typeof Role>

export const Entity = Row({
  id: Id,
  name: StoredName(),
  position: Position,
  rooms: Type.Array(Id, { maxItems: 1_000 }),
})
export type Entity = Static<typeof Entity>

export const Room = Row({
  id: Id,
  name: StoredName(),
  description: Nullable(Text(maxTextLength)),
  emoji: Nullable(EmojiName),
  position: Type.Integer({ minimum: 0, maximum: maxRoomPosition }),
  default_allow: PermissionBits,
  default_deny: PermissionBits,
  permission_overrides: Type.Union([
    Type.Null(),
    Type.Record(
      Type.String(),
      Row({
        id: Id,
        type: Type.Union([Type.Literal(0), Type.Literal(1)]),
        allow: PermissionBits,
        deny: PermissionBits,
      }),
    ),
  ]),
})
export type Room = Static<typeof Room>

export const Message = Row({
  id: Id,
  author_id: Id,
  device_id: Id,
  content: Text(maxContentLength),
  mentions: Type.Array(Id, { maxItems: maxMentions }),
  edited_at: Nullable(Time),
  attachment: Nullable(
    Row({
      key: Type.String({ pattern: '^[0-9a-f]{32}$' }),
      filename: Line(maxFilenameLength),
      size: Type.Integer({ minimum: 0 }),
    }),
  ),
  // The first archives have no replies and pins.
  reply_to: Type.Optional(Nullable(Id)),
  reply_mention: Type.Optional(Nullable(Id)),
  pinned_at: Type.Optional(Nullable(Time)),
})
export type Message = Static<typeof Message>

export const Reaction = Row({
  message_id: Id,
  emoji: Type.String({ format: 'emoji' }),
  user_id: Id,
  place: Position,
})
