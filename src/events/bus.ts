import type { HearthEvent } from './events.ts'

/** What an operation gives back: the answer, and what happened, to be published once it is committed. */
export type Outcome<Answer> = { answer: Answer; events: HearthEvent[] }

export type Listener = (event: HearthEvent) => void | Promise<void>

/** Carries what happened from the operations to the gateway. In process; several processes will share one behind it. */
export type Bus = {
  /** Hands events to every listener, in order; settled when the local listeners have dealt with them. */
  publish(events: readonly HearthEvent[]): Promise<void>
  /** Returns how to stop listening. */
  subscribe(listener: Listener): () => void
}

export function createBus(): Bus {
  const listeners = new Set<Listener>()
  return {
    async publish(events) {
      // Every listener has all of them at once: nothing that is published later comes between.
      const done = events.flatMap((event) => [...listeners].map((listener) => listener(event)))
      await Promise.all(done)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
