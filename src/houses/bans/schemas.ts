import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schemas/nullable.ts'
import { Text } from '../../http/schemas/strings.ts'
import { CompactUser, maxTextLength } from '../../users/schemas.ts'

/** docs/api.md#bans. */
export const BanUser = Type.Object(
  { reason: Type.Optional(Nullable(Text(maxTextLength))) },
  { additionalProperties: false },
)
export type BanUser = Static<typeof BanUser>

/** docs/resources.md#other-resources. */
export const Ban = Type.Object({
  house_id: Type.String(),
  user_id: Type.String(),
  user: CompactUser,
  reason: Nullable(Type.String()),
  created_by: Type.String(),
  created_at: Type.String(),
})
export type Ban = Static<typeof Ban>

export const LiftedBan = Type.Object({ house_id: Type.String(), user_id: Type.String() })
export type LiftedBan = Static<typeof LiftedBan>
