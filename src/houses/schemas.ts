import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/schemas/nullable.ts'
import { AnyText, CleanText, NameLine } from '../http/schemas/strings.ts'
import { EmbeddedRoom, Room } from '../rooms/schemas.ts'
import { maxTextLength, PictureName } from '../users/schemas.ts'
import { Entity } from './entities/schemas.ts'
import { Member } from './members/schemas.ts'
import { PermissionBits, Role } from './roles/schemas.ts'

/** In code points (docs/api.md#field-limits). */
export const maxHouseNameLength = 100

export const HouseName = NameLine(maxHouseNameLength)
export const HouseDescription = Nullable(CleanText(maxTextLength))
const Base64Picture = Nullable(Type.String({ description: 'base64 or a data URL' }))

/** docs/api.md#houses; a null icon means none. */
export const CreateHouse = Type.Object(
  {
    name: HouseName,
    icon: Type.Optional(Base64Picture),
    description: Type.Optional(HouseDescription),
  },
  { additionalProperties: false },
)
export type CreateHouse = Static<typeof CreateHouse>

/** docs/api.md#houses. A null icon means no change, as existing clients send it; a null description clears it. */
export const EditHouse = Type.Object(
  {
    name: HouseName,
    icon: Type.Optional(Base64Picture),
    description: Type.Optional(HouseDescription),
    default_permissions: Type.Optional(PermissionBits),
  },
  { additionalProperties: false },
)
export type EditHouse = Static<typeof EditHouse>

/** docs/api.md#houses: the new owner. */
export const HandOverHouse = Type.Object({ user_id: AnyText() }, { additionalProperties: false })
export type HandOverHouse = Static<typeof HandOverHouse>
export const HandedOverHouse = Type.Object({ house_id: Type.String(), owner_id: Type.String() })
export type HandedOverHouse = Static<typeof HandedOverHouse>

/** docs/resources.md#houses: the response of house creation. */
export const House = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  owner_id: Type.String(),
  rooms: Type.Array(EmbeddedRoom),
  type: Type.Integer(),
})
export type House = Static<typeof House>

/** docs/resources.md#houses: the response of house update. */
export const EditedHouse = Type.Object({ name: Type.String(), house_id: Type.String() })
export type EditedHouse = Static<typeof EditedHouse>

const summary = {
  id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  icon: PictureName,
  banner: Type.Null(),
  owner_id: Type.String(),
  type: Type.Integer(),
  member_count: Type.Integer(),
}

/** The house in lists and invites (docs/resources.md#houses). */
export const HouseSummary = Type.Object(summary)
export type HouseSummary = Static<typeof HouseSummary>

/** The house over HTTP for one member (docs/resources.md#houses): readable rooms, and the member's permission bits. */
export const HouseDetail = Type.Object({
  ...summary,
  default_permissions: Type.Integer(),
  rooms: Type.Array(Room),
  entities: Type.Array(Entity),
  roles: Type.Array(Role),
  permissions: Type.Integer(),
})
export type HouseDetail = Static<typeof HouseDetail>

/** The house on the gateway for one member (docs/resources.md#houses); an exact payload. */
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
