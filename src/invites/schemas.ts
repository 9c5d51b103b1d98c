import { type Static, Type } from '@sinclair/typebox'
import { HouseSummary } from '../houses/schemas.ts'
import { Nullable } from '../http/nullable.ts'

/** Limits of PROTOCOL 1.5. */
const maxUses = 1_000
const maxAgeSeconds = 31_536_000

/** PROTOCOL 4.12: 0, null and absent mean no limit. */
export const CreateInvite = Type.Object(
  {
    max_uses: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: maxUses }))),
    max_age: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: maxAgeSeconds }))),
  },
  { additionalProperties: false },
)
export type CreateInvite = Static<typeof CreateInvite>

/** PROTOCOL 3.6; `max_age` in seconds. */
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

/** What anybody with the code may see: no names but the house's; existing clients need the two lists to be there. */
export const InvitePreview = Type.Object({
  code: Type.String(),
  invite: Invite,
  house: Type.Object({
    ...HouseSummary.properties,
    rooms: Type.Array(Type.Unknown(), { maxItems: 0 }),
    members: Type.Array(Type.Unknown(), { maxItems: 0 }),
  }),
  counts: Type.Object({ house_members: Type.Integer() }),
})
export type InvitePreview = Static<typeof InvitePreview>

export const JoinedHouse = Type.Object({ house_id: Type.String(), house: HouseSummary })
export type JoinedHouse = Static<typeof JoinedHouse>

export const RevokedInvite = Type.Object({ code: Type.String(), house_id: Type.String() })
export type RevokedInvite = Static<typeof RevokedInvite>

/** A code as it stands in a path; what cannot be one is one nobody has. */
export const InviteCode = Type.Object({ code: Type.String() })
