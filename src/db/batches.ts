/** What shares a statement: reads (`coalesce`) or writes (`coalesceWrites`). */
export type BatchKind = 'read' | 'write'

type Listener = (kind: BatchKind, size: number) => void

const listeners = new Set<Listener>()

/** Hears of the size of every batch from now on; gives how to stop. */
export function listenToBatches(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells of a batch that goes to the database. */
export function noteBatch(kind: BatchKind, size: number): void {
  for (const listener of listeners) listener(kind, size)
}
