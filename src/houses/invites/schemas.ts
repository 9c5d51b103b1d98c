import { type Static, Type } from '@sinclair/typebox'
import { BooleanText } from '../../http/schemas/documented.ts'
import { Nullable } from '../../http/schemas/nullable.ts'
import { HouseSummary } from '../schemas.ts'

/** Limits of docs/api.md#field-limits. */
export const maxUses = 1_000
export const maxAgeSeconds = 31_536_000

/** docs/api.md#invites: 0, null and absent mean no limit. */
export const CreateInvite = Type.Object(
  {
    max_uses: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: maxUses }))),
    max_age: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: maxAgeSeconds }))),
  },
  { additionalProperties: false },
)
export type CreateInvite = Static<typeof CreateInvite>

/** docs/resources.md#other-resources; `max_age` in seconds. */
export const Invite = Type.Object({
  code: Type.String(),
  house_id: Type.String(),
  creator_id: Type.String(),
  created_at: Type.String(),
  max_age: Nullable(Type.Integer()),
  max_uses: Nullable(Type.Integer()),
  uses: Type.Integer(),
  type: Type.Integer(),
})
export type Invite = Static<typeof Invite>

/** The house for a user who has only the code. Existing clients require the two empty lists. */
export const InvitedHouse = Type.Object({
  ...HouseSummary.properties,
  rooms: Type.Array(Type.Unknown(), { maxItems: 0 }),
  members: Type.Array(Type.Unknown(), { maxItems: 0 }),
})

export const InviteCounts = Type.Object({ house_members: Type.Integer() })

/** The relation of the caller to the house of an invite. */
export const InvitedMembership = Type.Union([
  Type.Literal('none'),
  Type.Literal('member'),
  Type.Literal('banned'),
])
export type InvitedMembership = Static<typeof InvitedMembership>

/**
 * The response to anybody with the code (docs/api.md#invites). It names no members. Only extended clients get the
 * optional key, which is null without a token.
 */
export const InvitePreview = Type.Object({
  code: Type.String(),
  invite: Invite,
  house: InvitedHouse,
  counts: InviteCounts,
  membership: Type.Optional(Nullable(InvitedMembership)),
})
export type InvitePreview = Static<typeof InvitePreview>

export const InviteQuery = Type.Object(
  {
    extended: Type.Optional(
      BooleanText({ description: '`true`: the key and the more exact codes of extended clients' }),
    ),
  },
  { additionalProperties: false },
)
export type InviteQuery = Static<typeof InviteQuery>

/** The body has no fields. */
export const UseInvite = Type.Object({}, { additionalProperties: false })
export type UseInvite = Static<typeof UseInvite>

export const JoinedHouse = Type.Object({ house_id: Type.String(), house: HouseSummary })
export type JoinedHouse = Static<typeof JoinedHouse>

export const RevokedInvite = Type.Object({ code: Type.String(), house_id: Type.String() })
export type RevokedInvite = Static<typeof RevokedInvite>

/** A code in a path. Text that is not a code answers `invite_not_found`. */
export const InviteCode = Type.Object({ code: Type.String() })
