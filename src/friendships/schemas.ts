import { type Static, Type } from '@sinclair/typebox'
import { AnyText } from '../http/schemas/strings.ts'
import { CompactUser, GatewayUser } from '../users/schemas.ts'

/**
 * The relation of the receiver (`recipient_id`) to another user (docs/resources.md#other-resources); an exact payload.
 */
export const Relationship = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  recipient_id: Type.String(),
  user: GatewayUser,
  type: Type.Integer({
    description: '0 none, 1 outgoing request, 2 incoming request, 3 friends, 4 restricted, 5 blocked',
  }),
  last_updated_at: Type.String(),
})
export type Relationship = Static<typeof Relationship>

export const FriendRequests = Type.Object({
  incoming: Type.Array(CompactUser),
  outgoing: Type.Array(CompactUser),
})
export type FriendRequests = Static<typeof FriendRequests>

export const RequestFriendship = Type.Object({ user_id: AnyText() }, { additionalProperties: false })
export type RequestFriendship = Static<typeof RequestFriendship>
