/** The kinds of batches: of reads (`coalesce`) and of writes (`coalesceWrites`). */
type BatchKind = 'read' | 'write'

type Listener = (kind: BatchKind, size: number) => void

const listeners = new Set<Listener>()

/** Calls back with the size of every batch from now on. Returns how to stop that. */
export function onBatch(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Reports a batch that is sent to the database. */
export function recordBatch(kind: BatchKind, size: number): void {
  for (const listener of listeners) listener(kind, size)
}
