import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/nullable.ts'
import { ListLimit, Place } from '../http/params.ts'
import { AnyText } from '../http/strings.ts'
import { Role } from '../roles/schemas.ts'
import { GatewayUser, maxNameLength } from '../users/schemas.ts'

/** A member of a house (PROTOCOL 3.6); roles highest first. */
export const Member = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  house_id: Nullable(Type.String()),
  user: GatewayUser,
  roles: Type.Array(Role),
  presence: Type.Union([Type.Literal('online'), Type.Literal('offline')]),
  last_permission_update: Nullable(Type.String()),
  joined_at: Type.String(),
})
export type Member = Static<typeof Member>

export const defaultMemberLimit = 100

/** PROTOCOL 4.8: `q` is the start of a name or username, in either case. */
export const MemberQuery = Type.Object(
  {
    after: Place,
    limit: ListLimit(defaultMemberLimit),
    q: Type.Optional(AnyText({ maxLength: maxNameLength })),
  },
  { additionalProperties: false },
)

export const RemovedMember = Type.Object({ house_id: Type.String(), user_id: Type.String() })
export type RemovedMember = Static<typeof RemovedMember>
