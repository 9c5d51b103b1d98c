import { type Static, Type } from '@sinclair/typebox'
import { AnyText } from '../../http/schemas/strings.ts'
import { Name } from '../../users/schemas.ts'

/** The maximum number of rooms of a house. */
const maxPointers = 500
/** The maximum of the column. */
const maxPosition = 2_147_483_647

export const ResourcePointer = Type.Object({
  resource_type: Type.Literal('room'),
  resource_id: Type.String(),
})

/** A category of rooms (docs/resources.md#members-roles-and-entities); pointers in display order. */
export const Entity = Type.Object({
  id: Type.String(),
  house_id: Type.String(),
  name: Type.String(),
  type: Type.Literal(1),
  position: Type.Integer(),
  resource_pointers: Type.Array(ResourcePointer),
})
export type Entity = Static<typeof Entity>

const EntityType = Type.Optional(Type.Literal(1))
export const SentResourcePointer = Type.Object({
  resource_type: Type.Literal('room'),
  resource_id: AnyText(),
})

export const CreateEntity = Type.Object({ name: Name, type: EntityType }, { additionalProperties: false })
export type CreateEntity = Static<typeof CreateEntity>

export const EditEntity = Type.Object(
  {
    name: Type.Optional(Name),
    position: Type.Optional(Type.Integer({ minimum: 0, maximum: maxPosition })),
    resource_pointers: Type.Optional(Type.Array(SentResourcePointer, { maxItems: maxPointers })),
    type: EntityType,
  },
  { additionalProperties: false },
)
export type EditEntity = Static<typeof EditEntity>

/** Existing clients search the list for the entity that they do not know. */
export const HouseEntities = Type.Object({ entities: Type.Array(Entity) })
export type HouseEntities = Static<typeof HouseEntities>

export const DeletedEntity = Type.Object({ id: Type.String(), house_id: Type.String() })
export type DeletedEntity = Static<typeof DeletedEntity>
