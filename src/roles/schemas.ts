import { type Static, Type } from '@sinclair/typebox'

/** A role (PROTOCOL 3.6); `level` is `position` again. */
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
