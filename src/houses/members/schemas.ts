import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schemas/nullable.ts'
import { ListLimit, Place } from '../../http/schemas/params.ts'
import { AnyText } from '../../http/schemas/strings.ts'
import { GatewayUser, maxNameLength } from '../../users/schemas.ts'
import { Role } from '../roles/schemas.ts'

/** A member of a house (docs/resources.md#members-roles-and-entities); roles highest first. */
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

/** docs/api.md#members: `q` is a prefix of a name or username, in either case. */
export const MemberQuery = Type.Object(
  {
    after: Place,
    limit: ListLimit(defaultMemberLimit),
    q: Type.Optional(AnyText({ maxLength: maxNameLength })),
  },
  { additionalProperties: false },
)
export type MemberQuery = Static<typeof MemberQuery>

export const RemovedMember = Type.Object({ house_id: Type.String(), user_id: Type.String() })
export type RemovedMember = Static<typeof RemovedMember>
