import { type Static, Type } from '@sinclair/typebox'
import { PermissionBits } from '../../houses/roles/schemas.ts'
import { Nullable } from '../../http/schemas/nullable.ts'
import { AnyText, CleanText, Line } from '../../http/schemas/strings.ts'
import { maxTextLength, Name } from '../../users/schemas.ts'

export const maxEmojiNameLength = 64
/** Far below the maximum of the column, because a new room gets the greatest position plus one. */
const maxRoomPosition = 1_000_000

const Description = Type.Optional(Nullable(CleanText(maxTextLength)))
export const EmojiName = Line(maxEmojiNameLength, { minLength: 1 })
export const SentEmoji = Type.Object({ type: Type.Literal(1), data: EmojiName })
/** A bare name, the object that responses contain, or null for none (docs/resources.md#attachments-and-emoji). */
const EmojiInput = Type.Optional(Type.Union([EmojiName, SentEmoji, Type.Null()]))

export const CreateHouseRoom = Type.Object(
  {
    name: Name,
    parent_entity_id: Type.Optional(Nullable(AnyText())),
    description: Description,
    emoji: EmojiInput,
  },
  { additionalProperties: false },
)
export type CreateHouseRoom = Static<typeof CreateHouseRoom>

/** The fields for all types of rooms; `editRoom` refuses those that a type does not have. */
export const EditRoom = Type.Object(
  {
    name: Type.Optional(Nullable(Name)),
    description: Description,
    emoji: EmojiInput,
    position: Type.Optional(Type.Integer({ minimum: 0, maximum: maxRoomPosition })),
    parent_entity_id: Type.Optional(AnyText()),
  },
  { additionalProperties: false },
)
export type EditRoom = Static<typeof EditRoom>

const bits = { allow: PermissionBits, deny: PermissionBits }

export const EditDefaultPermissions = Type.Object(bits, { additionalProperties: false })
export type EditDefaultPermissions = Static<typeof EditDefaultPermissions>

export const SetOverride = Type.Object(
  { type: Type.Union([Type.Literal(0), Type.Literal(1)]), ...bits },
  { additionalProperties: false },
)
export type SetOverride = Static<typeof SetOverride>

export const DeletedRoom = Type.Object({ id: Type.String(), house_id: Type.String() })
export type DeletedRoom = Static<typeof DeletedRoom>
