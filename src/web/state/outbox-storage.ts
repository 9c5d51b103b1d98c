import type { OutboxEntry, OutboxStorage } from './outbox.ts'

const table = 'outbox'

/** Keeps the outbox in IndexedDB; where the browser has none to give, as long as the page. */
export function openOutboxStorage(): OutboxStorage {
  const opened = open().catch(() => undefined)
  async function run<Result>(
    mode: IDBTransactionMode,
    act: (entries: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result | undefined> {
    const database = await opened
    try {
      return database && (await settled(act(database.transaction(table, mode).objectStore(table))))
    } catch {
      // The disk is full, or the browser has deleted what it kept: messages are sent all the same.
      return undefined
    }
  }
  return {
    list: async () => (await run<OutboxEntry[]>('readonly', (entries) => entries.getAll())) ?? [],
    put: async (entry) => void (await run('readwrite', (entries) => entries.put(entry))),
    remove: async (nonce) => void (await run('readwrite', (entries) => entries.delete(nonce))),
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('hearth', 1)
  request.onupgradeneeded = () => request.result.createObjectStore(table, { keyPath: 'nonce' })
  return settled(request)
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
