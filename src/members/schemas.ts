import { type Static, Type } from '@sinclair/typebox'
import { GatewayUser } from '../users/schemas.ts'

const NullableString = Type.Union([Type.String(), Type.Null()])

/** A member of a house (PROTOCOL 3.6); roles are role ids, highest first. */
export const Member = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  house_id: NullableString,
  user: GatewayUser,
  roles: Type.Array(Type.String()),
  presence: Type.Union([Type.Literal('online'), Type.Literal('offline')]),
  last_permission_update: NullableString,
  joined_at: Type.String(),
})
export type Member = Static<typeof Member>
