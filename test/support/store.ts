import type { Store } from '../../src/storage/store.ts'

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
