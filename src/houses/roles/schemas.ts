import { type Static, Type } from '@sinclair/typebox'
import { Name } from '../../users/schemas.ts'

const maxRolePosition = 1_000
/** All twenty bits (docs/permissions.md#bits). */
const maxPermissionBits = 1_048_575

/** Permission bits in a body, as their sum. */
export const PermissionBits = Type.Integer({ minimum: 0, maximum: maxPermissionBits })

/** A role (docs/resources.md#members-roles-and-entities); `level` equals `position`. */
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

const optional = {
  color: Type.Optional(
    Type.String({ pattern: '^#?[0-9A-Fa-f]{6}$', description: '6 hex digits, with or without #' }),
  ),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: maxRolePosition })),
  allow: Type.Optional(PermissionBits),
  deny: Type.Optional(PermissionBits),
}

export const CreateRole = Type.Object({ name: Name, ...optional }, { additionalProperties: false })
export type CreateRole = Static<typeof CreateRole>

export const EditRole = Type.Object(
  { name: Type.Optional(Name), ...optional },
  { additionalProperties: false },
)
export type EditRole = Static<typeof EditRole>

export const DeletedRole = Type.Object({ id: Type.String(), house_id: Type.String() })
export type DeletedRole = Static<typeof DeletedRole>
