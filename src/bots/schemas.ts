import { type Static, Type } from '@sinclair/typebox'
import { AnyText } from '../http/schemas/strings.ts'
import { EditUser, FullUser, Name, Username } from '../users/schemas.ts'

/** docs/resources.md#other-resources. */
export const Bot = Type.Object({
  user: FullUser,
  owner_id: Type.String(),
  public: Type.Boolean(),
  created_at: Type.String(),
})
export type Bot = Static<typeof Bot>

export const CreateBot = Type.Object({ username: Username, name: Name }, { additionalProperties: false })
export type CreateBot = Static<typeof CreateBot>

export const CreatedBot = Type.Object({ user: FullUser, token: Type.String() })
export type CreatedBot = Static<typeof CreatedBot>

/** The fields of `EditUser`, and whether others may add the bot to their houses. */
export const EditBot = Type.Object(
  { ...EditUser.properties, public: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
export type EditBot = Static<typeof EditBot>

export const BotToken = Type.Object({ token: Type.String() })
export type BotToken = Static<typeof BotToken>
export const BotId = Type.Object({ id: Type.String() })
export type BotId = Static<typeof BotId>
export const AddBot = Type.Object({ bot_id: AnyText() }, { additionalProperties: false })
export type AddBot = Static<typeof AddBot>
