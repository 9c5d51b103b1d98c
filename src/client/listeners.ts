export type Listeners<Value> = {
  /** Gives what removes the listener. */
  add(listener: (value: Value) => void): () => void
  call(value: Value): void
}

/** Listeners in the order they came. One that throws stops neither the others nor the caller: its error is uncaught. */
export function listeners<Value>(): Listeners<Value> {
  const all = new Set<{ listener: (value: Value) => void }>()
  return {
    add(listener) {
      const entry = { listener }
      all.add(entry)
      return () => void all.delete(entry)
    },
    call(value) {
      for (const { listener } of [...all]) {
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
