import { type Static, Type } from '@sinclair/typebox'
import { AnyText, FilledLine } from '../http/strings.ts'

const maxGroupNameLength = 64

/** API 4.5: `recipient` alone is a one-to-one room, `recipients` a group; at least one of the two names somebody. */
export const CreatePrivateRoom = Type.Object(
  {
    recipient: Type.Optional(
      Type.Union([AnyText(), Type.Null()], { description: 'the other user of a one-to-one room' }),
    ),
    recipients: Type.Optional(
      Type.Union([Type.Array(AnyText()), Type.Null()], { description: 'the users of a group' }),
    ),
    name: Type.Optional(
      Type.Union([FilledLine(maxGroupNameLength), Type.Null()], { description: 'of a group' }),
    ),
  },
  { additionalProperties: false },
)
export type CreatePrivateRoom = Static<typeof CreatePrivateRoom>

/** Who has left or was removed from which group. */
export const RemovedRecipient = Type.Object({ id: Type.String(), user_id: Type.String() })
export type RemovedRecipient = Static<typeof RemovedRecipient>
