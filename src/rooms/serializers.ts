import { serializeGatewayUser } from '../users/serializers.ts'
import { roomType } from './permissions.ts'
import type { OverrideRow, RoomRow } from './queries.ts'
import type { Room } from './schemas.ts'

/**
 * A room for one receiver: in a private room, the recipients are the participants without them. A house room is the same
 * for all (null).
 */
export function serializeRoom(row: RoomRow, receiverId: string | null): Room {
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

type Overrides = RoomRow['permission_overrides']

/**
 * Overrides that a frame shows at most (docs/api.md#counts-and-sizes): a house may have more, from before they were
 * limited.
 */
const maxShownOverrides = 5_000

/**
 * The rooms of a frame with so many overrides together: those of these ids (the receiver and their roles) first, and the
 * others by position of their room.
 */
export function withShownOverrides(rows: readonly RoomRow[], own: ReadonlySet<string>): readonly RoomRow[] {
  if (rows.reduce((sum, row) => sum + countOf(row.permission_overrides), 0) <= maxShownOverrides) return rows
  let left = maxShownOverrides
  const pick = (overrides: Overrides, isShown: (override: OverrideRow) => boolean) => {
    const shown = Object.values(overrides ?? {})
      .filter(isShown)
      .slice(0, left)
    left -= shown.length
    return shown
  }
  const first = rows.map((row) => pick(row.permission_overrides, ({ id }) => own.has(id)))
  return rows.map((row, place) => {
    const shown = [...first[place]!, ...pick(row.permission_overrides, ({ id }) => !own.has(id))]
    const overrides = Object.fromEntries(shown.map((override) => [override.id, override]))
    return { ...row, permission_overrides: shown.length > 0 ? overrides : null }
  })
}

/** Every receiver of a frame is shown the same overrides: they are counted once. */
const counts = new WeakMap<object, number>()

function countOf(overrides: Overrides): number {
  if (!overrides) return 0
  const known = counts.get(overrides) ?? Object.keys(overrides).length
  counts.set(overrides, known)
  return known
}

/** Never empty: a group nobody else is left in shows the receiver. */
function recipientsFor(row: RoomRow, receiverId: string | null): Room['recipients'] {
  const others = row.participants.filter((user) => user.id !== receiverId)
  return (others.length > 0 ? others : row.participants).map(serializeGatewayUser)
}
