import { vi } from 'vitest'
import type { Store } from '../../src/storage/store.ts'
import { db } from './world.ts'

/** Has the store lose a file right after it was found, before it is opened. Returns how to undo that. */
export function eraseOnceFound(store: Store, name: string): () => void {
  const { find } = store
  store.find = async (wanted) => {
    const found = await find(wanted)
    if (wanted === name) await store.remove(name)
    return found
  }
  return () => {
    store.find = find
  }
}

/** The files that are to be erased, by name. */
export async function listDiscarded(): Promise<string[]> {
  const rows = await db.selectFrom('discarded_files').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

/** Whether this file is to be erased. */
export async function isDiscarded(name: string): Promise<boolean> {
  return (await listDiscarded()).includes(name)
}

/** Waits until a file is to be erased: those of a deleted room are a moment after the answer. */
export async function untilDiscarded(name: string): Promise<void> {
  await vi.waitUntil(() => isDiscarded(name), { timeout: 60_000 })
}
