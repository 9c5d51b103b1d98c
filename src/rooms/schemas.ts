import { type Static, Type } from '@sinclair/typebox'
import { GatewayUser } from '../users/schemas.ts'

const NullableString = Type.Union([Type.String(), Type.Null()])

/** API 2.5: the room inside the answer of house creation. */
export const EmbeddedRoom = Type.Object({
  id: Type.String(),
  house_id: Type.String(),
  name: Type.String(),
  position: Type.Integer(),
  type: Type.Integer(),
})

const Emoji = Type.Object({ type: Type.Literal(1), data: Type.String() })

const PermissionOverride = Type.Object({
  id: Type.String(),
  type: Type.Integer(),
  allow: Type.Integer(),
  deny: Type.Integer(),
})

/** The room everywhere else (PROTOCOL 3.5): house rooms have no recipients and owner, private ones no house and place. */
export const Room = Type.Object({
  id: Type.String(),
  house_id: NullableString,
  name: NullableString,
  position: Type.Union([Type.Integer(), Type.Null()]),
  type: Type.Integer(),
  emoji: Type.Union([Emoji, Type.Null()]),
  description: NullableString,
  last_message_id: NullableString,
  permission_overrides: Type.Union([Type.Record(Type.String(), PermissionOverride), Type.Null()]),
  default_permission_override: Type.Union([
    Type.Object({ allow: Type.Integer(), deny: Type.Integer() }),
    Type.Null(),
  ]),
  recipients: Type.Union([Type.Array(GatewayUser), Type.Null()]),
  owner_id: NullableString,
})
export type Room = Static<typeof Room>
