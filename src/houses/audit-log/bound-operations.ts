import type { AuditChangeRow } from './queries.ts'

/** The bytes of the changes of an entry, as JSON, past which its values are cut. */
const maxChangesBytes = 2_048
/** The most bytes of a list or text that is cut. */
const maxValueBytes = 480

/**
 * The changes of an entry, cut to what an entry holds (docs/api.md#audit-log): if they are too large, long lists and
 * texts keep their beginning, with the count of what is left out beside them.
 */
export function boundChanges(changes: readonly AuditChangeRow[]): readonly AuditChangeRow[] {
  if (bytesOf(changes) <= maxChangesBytes) return changes
  return changes.map(({ key, old, new: now }) => {
    const [before, after] = [cut(old), cut(now)]
    return {
      key,
      old: before.value,
      new: after.value,
      ...(before.omitted > 0 && { old_omitted: before.omitted }),
      ...(after.omitted > 0 && { new_omitted: after.omitted }),
    }
  })
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** The beginning of a list or text, and how many items or characters it lacks. Other values are small. */
function cut(value: unknown): { value: unknown; omitted: number } {
  if (Array.isArray(value)) {
    const kept = longestWithin(value)
    return { value: kept, omitted: value.length - kept.length }
  }
  if (typeof value !== 'string') return { value, omitted: 0 }
  const characters = [...value]
  const kept = longestWithin(characters)
  return { value: kept.join(''), omitted: characters.length - kept.length }
}

/** As many of the first items as fit. */
function longestWithin<Item>(items: readonly Item[]): Item[] {
  let bytes = 0
  const end = items.findIndex((item) => {
    bytes += typeof item === 'string' ? Buffer.byteLength(item) : bytesOf(item)
    return bytes > maxValueBytes
  })
  return end === -1 ? [...items] : items.slice(0, end)
}
