import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../http/schemas/nullable.ts'
import { AnyText } from '../../http/schemas/strings.ts'
import { Name } from '../../users/schemas.ts'

/**
 * docs/api.md#private-rooms: `recipient` alone means a one-to-one room, `recipients` a group. The two together must name
 * at least one other user.
 */
export const CreatePrivateRoom = Type.Object(
  {
    recipient: Type.Optional(Nullable(AnyText(), { description: 'the other user of a one-to-one room' })),
    recipients: Type.Optional(Nullable(Type.Array(AnyText()), { description: 'the users of a group' })),
    name: Type.Optional(Nullable(Name, { description: 'of a group' })),
  },
  { additionalProperties: false },
)
export type CreatePrivateRoom = Static<typeof CreatePrivateRoom>

/** ['recipient'] for a body that names no user but the caller, whatever its `name`; else []. */
export function missingRecipientField(
  { recipient, recipients }: { recipient?: unknown; recipients?: unknown },
  callerId: string,
): string[] {
  const isNobody = (each: unknown) => each == null || each === callerId
  const isEmpty =
    recipients == null || (Array.isArray(recipients) && recipients.every((each) => each === callerId))
  return isNobody(recipient) && isEmpty ? ['recipient'] : []
}

/** The group and the user who left or was removed. */
export const RemovedRecipient = Type.Object({ id: Type.String(), user_id: Type.String() })
export type RemovedRecipient = Static<typeof RemovedRecipient>
