import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/schemas/nullable.ts'
import { AnyText, Line, NameLine, Text } from '../http/schemas/strings.ts'

/** Limits of docs/api.md#field-limits, in code points. */
export const maxNameLength = 64
export const maxLocationLength = 64
export const maxWebsiteLength = 256
export const maxTextLength = 512

/** A picture name (40 hex characters and `.webp`), not a URL; null if there is none. */
export const PictureName = Nullable(Type.String())

/** docs/resources.md#users. `email`, `email_verified` and `mfa_enabled` are real only for the user themselves. */
export const FullUser = Type.Object({
  id: Type.String(),
  name: Type.String(),
  username: Type.String(),
  icon: PictureName,
  header: PictureName,
  flags: Type.Integer(),
  bot: Type.Boolean(),
  location: Type.String(),
  website: Type.String(),
  bio: Type.String(),
  email: Type.String(),
  email_verified: Type.Boolean(),
  mfa_enabled: Type.Boolean(),
})
export type FullUser = Static<typeof FullUser>

/** docs/resources.md#users. */
export const CompactUser = Type.Object({
  icon: PictureName,
  id: Type.String(),
  username: Type.String(),
  name: Type.String(),
  header: PictureName,
  flags: Type.Integer(),
  bot: Type.Boolean(),
})
export type CompactUser = Static<typeof CompactUser>

/** The user in gateway events, members and recipients (docs/resources.md#users). */
export const GatewayUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  name: Type.String(),
  icon: PictureName,
  header: PictureName,
  flags: Type.Integer(),
  user_flags: Type.String(),
  bot: Type.Boolean(),
  presence: Type.Union([Type.Literal('online'), Type.Literal('offline')]),
  bio: Type.String(),
  website: Type.String(),
  location: Type.String(),
  email_verified: Type.Boolean(),
})
export type GatewayUser = Static<typeof GatewayUser>

/** A username in any case, as input (docs/api.md#usernames). Operations lower-case it, and refuse reserved and taken ones. */
export const Username = Type.String({
  pattern: '^(?![0-9]+$)[A-Za-z0-9](?:[A-Za-z0-9_.-]{1,30})[A-Za-z0-9]$',
  description: '3–32 of a-z 0-9 _ . -, first and last a letter or digit',
})
/** The display name of a user, room, entity or role. */
export const Name = NameLine(maxNameLength)
export const Location = Line(maxLocationLength)
/** Empty, or an absolute http or https URL. */
export const Website = Line(maxWebsiteLength, { format: 'website' })
export const Bio = Text(maxTextLength)
/** A picture as base64 or a data URL (docs/api.md#base64-input). Operations decode it. */
const SentPicture = AnyText({ description: 'a picture as base64 or as a data URL' })
const SentPictureOrNone = Nullable(SentPicture, { description: 'null removes it' })

/** docs/api.md#users: at least one field. */
export const EditUser = Type.Object(
  {
    location: Type.Optional(Location),
    username: Type.Optional(Username),
    website: Type.Optional(Website),
    bio: Type.Optional(Bio),
    header: Type.Optional(SentPictureOrNone),
    icon: Type.Optional(SentPictureOrNone),
    name: Type.Optional(Name),
  },
  { additionalProperties: false },
)
export type EditUser = Static<typeof EditUser>
