import { type Static, Type } from '@sinclair/typebox'
import { BooleanText } from '../../http/schemas/documented.ts'
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

/** A member. Only extended clients get the optional key (docs/resources.md). */
export const ListedMember = Type.Object({
  ...Member.properties,
  owner_id: Type.Optional(Nullable(Type.String())),
})
export type ListedMember = Static<typeof ListedMember>

const Extended = Type.Optional(
  BooleanText({ description: '`true`: members have the key of extended clients' }),
)

/** Whether the caller is an extended client. */
export const ExtendedMemberQuery = Type.Object({ extended: Extended }, { additionalProperties: false })
export type ExtendedMemberQuery = Static<typeof ExtendedMemberQuery>

export const defaultMemberLimit = 100

/** docs/api.md#members: `q` is a prefix of a name or username, in either case. */
export const MemberQuery = Type.Object(
  {
    after: Place,
    limit: ListLimit(defaultMemberLimit),
    q: Type.Optional(AnyText({ maxLength: maxNameLength })),
    extended: Extended,
  },
  { additionalProperties: false },
)
export type MemberQuery = Static<typeof MemberQuery>

export const RemovedMember = Type.Object({ house_id: Type.String(), user_id: Type.String() })
export type RemovedMember = Static<typeof RemovedMember>
