import { type Static, Type } from '@sinclair/typebox'

/** A category of rooms (PROTOCOL 3.6); pointers in display order. */
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
