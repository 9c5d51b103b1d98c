export type Listeners<Value> = {
  /** Returns a function that removes the listener. */
  add(listener: (value: Value) => void): () => void
  call(value: Value): void
}

/** Listeners in the order of adding. The error of a listener is thrown uncaught; the others and the caller continue. */
export function listeners<Value>(): Listeners<Value> {
  const entries = new Set<{ listener: (value: Value) => void }>()
  return {
    add(listener) {
      const entry = { listener }
      entries.add(entry)
      return () => void entries.delete(entry)
    },
    call(value) {
      for (const { listener } of [...entries]) {
        try {
          listener(value)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
