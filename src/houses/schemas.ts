import { type Static, Type } from '@sinclair/typebox'
import { EmbeddedRoom, Room } from '../rooms/schemas.ts'
import { GatewayUser, PictureName } from '../users/schemas.ts'

const NullableString = Type.Union([Type.String(), Type.Null()])

/** API 2.4: the answer of house creation. */
export const House = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: NullableString,
  owner_id: Type.String(),
  rooms: Type.Array(EmbeddedRoom),
  type: Type.Integer(),
})
export type House = Static<typeof House>

/** API 4.10: the answer of house edit. */
export const EditedHouse = Type.Object({ name: Type.String(), house_id: Type.String() })

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

export const Role = Type.Object({
  id: Type.String(),
  house_id: Type.String(),
  name: Type.String(),
  position: Type.Integer(),
  level: Type.Integer(),
  color: Type.String(),
  allow: Type.Integer(),
  deny: Type.Integer(),
})
export type Role = Static<typeof Role>

export const Entity = Type.Object({
  id: Type.String(),
  house_id: Type.String(),
  name: Type.String(),
  type: Type.Literal(1),
  position: Type.Integer(),
  resource_pointers: Type.Array(
    Type.Object({ resource_type: Type.Literal('room'), resource_id: Type.String() }),
  ),
})
export type Entity = Static<typeof Entity>

const summary = {
  id: Type.String(),
  name: Type.String(),
  description: NullableString,
  icon: PictureName,
  banner: Type.Null(),
  owner_id: Type.String(),
  type: Type.Integer(),
  member_count: Type.Integer(),
}

/** The house in lists and invites (PROTOCOL 3.4). */
export const HouseSummary = Type.Object(summary)
export type HouseSummary = Static<typeof HouseSummary>

/** The house as one member sees it over HTTP: rooms and pointers they can read, and their own permission bits. */
export const HouseDetail = Type.Object({
  ...summary,
  default_permissions: Type.Integer(),
  rooms: Type.Array(Room),
  entities: Type.Array(Entity),
  roles: Type.Array(Role),
  permissions: Type.Integer(),
})
export type HouseDetail = Static<typeof HouseDetail>

/** The house as one member sees it on the gateway: exactly these keys. */
export const GatewayHouse = Type.Object({
  id: Type.String(),
  name: Type.String(),
  owner_id: Type.String(),
  icon: PictureName,
  banner: PictureName,
  type: Type.Integer(),
  default_permissions: Type.Integer(),
  rooms: Type.Array(Room),
  members: Type.Array(Member),
  entities: Type.Array(Entity),
  roles: Type.Array(Role),
})
export type GatewayHouse = Static<typeof GatewayHouse>
