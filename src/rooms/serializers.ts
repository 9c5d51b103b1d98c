import { serializeGatewayUser } from '../users/serializers.ts'
import { roomType } from './permissions.ts'
import type { OverrideRow, RoomRow } from './queries.ts'
import type { Room } from './schemas.ts'

/**
 * A room for one receiver. The recipients of a private room are its participants without the receiver. A house room is
 * equal for all receivers (null).
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
 * Overrides in a frame (docs/api.md#counts-and-sizes). A house from before the limit of overrides may have more.
 */
const maxShownOverrides = 5_000

/**
 * The rooms of a frame, reduced to `maxShownOverrides` overrides together: those whose ids are in `own` (the receiver and
 * their roles) first, then the others in the order of the rooms.
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

/** Receivers of a frame share the rows, so the overrides of a room are counted once. */
const counts = new WeakMap<object, number>()

function countOf(overrides: Overrides): number {
  if (!overrides) return 0
  const known = counts.get(overrides) ?? Object.keys(overrides).length
  counts.set(overrides, known)
  return known
}

/** Never empty: in a group without other participants it is the receiver. */
function recipientsFor(row: RoomRow, receiverId: string | null): Room['recipients'] {
  const others = row.participants.filter((user) => user.id !== receiverId)
  return (others.length > 0 ? others : row.participants).map(serializeGatewayUser)
}
