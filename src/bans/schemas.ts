import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/nullable.ts'
import { Text } from '../http/strings.ts'
import { CompactUser, maxTextLength } from '../users/schemas.ts'

/** PROTOCOL 4.8. */
export const BanUser = Type.Object(
  { reason: Type.Optional(Nullable(Text(maxTextLength))) },
  { additionalProperties: false },
)

/** PROTOCOL 3.6. */
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
