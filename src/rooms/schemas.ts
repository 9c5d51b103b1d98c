import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/schemas/nullable.ts'
import { GatewayUser } from '../users/schemas.ts'

/** docs/resources.md#rooms: the room in the response of house creation. */
export const EmbeddedRoom = Type.Object({
  id: Type.String(),
  house_id: Type.String(),
  name: Type.String(),
  position: Type.Integer(),
  type: Type.Integer(),
})

export const Emoji = Type.Object({ type: Type.Literal(1), data: Type.String() })

export const PermissionOverride = Type.Object({
  id: Type.String(),
  type: Type.Integer(),
  allow: Type.Integer(),
  deny: Type.Integer(),
})

export const DefaultPermissionOverride = Type.Object({ allow: Type.Integer(), deny: Type.Integer() })

/**
 * The room everywhere else (docs/resources.md#rooms). House rooms have no recipients and no owner, private rooms no
 * house and no position.
 */
export const Room = Type.Object({
  id: Type.String(),
  house_id: Nullable(Type.String()),
  name: Nullable(Type.String()),
  position: Nullable(Type.Integer()),
  type: Type.Integer(),
  emoji: Nullable(Emoji),
  description: Nullable(Type.String()),
  last_message_id: Nullable(Type.String()),
  permission_overrides: Nullable(Type.Record(Type.String(), PermissionOverride)),
  default_permission_override: Nullable(DefaultPermissionOverride),
  recipients: Nullable(Type.Array(GatewayUser)),
  owner_id: Nullable(Type.String()),
})
export type Room = Static<typeof Room>
