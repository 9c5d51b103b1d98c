import type { ById } from './state.ts'

/** A record with one more entry, or another one in its place. */
export function put<Value>(record: ById<Value>, id: string, value: Value): ById<Value> {
  return { ...record, [id]: value }
}

/** A record without these entries; the same one if it has none of them. */
export function without<Value>(record: ById<Value>, ...ids: string[]): ById<Value> {
  if (!ids.some((id) => id in record)) return record
  const rest = { ...record }
  for (const id of ids) delete rest[id]
  return rest
}

/** A record of things by a key of theirs. */
export function indexBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): ById<Value> {
  return Object.fromEntries(values.map((value) => [keyOf(value), value]))
}

/** Ids are decimal numbers of any length: negative where the first is the smaller one. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}
