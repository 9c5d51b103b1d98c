import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../http/nullable.ts'
import { AnyText, FilledLine } from '../http/strings.ts'

const maxGroupNameLength = 64

/** API 4.5: `recipient` alone is a one-to-one room, `recipients` a group; at least one of the two names somebody. */
export const CreatePrivateRoom = Type.Object(
  {
    recipient: Type.Optional(Nullable(AnyText(), { description: 'the other user of a one-to-one room' })),
    recipients: Type.Optional(Nullable(Type.Array(AnyText()), { description: 'the users of a group' })),
    name: Type.Optional(Nullable(FilledLine(maxGroupNameLength), { description: 'of a group' })),
  },
  { additionalProperties: false },
)
export type CreatePrivateRoom = Static<typeof CreatePrivateRoom>

/** What a body that names nobody lacks, also if its `name` is wrong. */
export function missingRecipient(body: { recipient?: unknown; recipients?: unknown }): string[] {
  const { recipient = null, recipients = null } = body
  const isEmpty = recipients === null || (Array.isArray(recipients) && recipients.length === 0)
  return recipient === null && isEmpty ? ['recipient'] : []
}

/** Who has left or was removed from which group. */
export const RemovedRecipient = Type.Object({ id: Type.String(), user_id: Type.String() })
export type RemovedRecipient = Static<typeof RemovedRecipient>
