import { gatewayUser } from '../users/forms.ts'
import { roomType } from './permissions.ts'
import type { RoomRow } from './queries.ts'
import type { Room } from './schemas.ts'

/**
 * A room for one receiver: in a private room, the recipients are the participants without them. A house room is the same
 * for all (null).
 */
export function room(row: RoomRow, receiverId: string | null): Room {
  const isHouseRoom = row.type === roomType.house
  const hasDefaults = row.default_allow !== 0 || row.default_deny !== 0
  return {
    id: row.id,
    house_id: row.house_id,
    name: row.name,
    position: row.position,
    type: row.type,
    emoji: row.emoji === null ? null : { type: 1, data: row.emoji },
    description: row.description,
    last_message_id: row.last_message_id,
    permission_overrides: row.permission_overrides,
    default_permission_override: hasDefaults ? { allow: row.default_allow, deny: row.default_deny } : null,
    recipients: isHouseRoom ? null : recipientsFor(row, receiverId),
    owner_id: row.owner_id,
  }
}

/** Never empty: a group nobody else is left in shows the receiver. */
function recipientsFor(row: RoomRow, receiverId: string | null): Room['recipients'] {
  const others = row.participants.filter((user) => user.id !== receiverId)
  return (others.length > 0 ? others : row.participants).map(gatewayUser)
}
