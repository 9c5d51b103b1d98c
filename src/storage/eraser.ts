import type { Db } from '../database/client.ts'
import { eraseDiscarded } from './discard.ts'
import type { Store } from './store.ts'

const eraseEveryMs = 60_000

/** Erases discarded files for as long as the process runs. */
type Eraser = {
  /** Erases now, instead of at the next interval. */
  wake(): void
  /** Settles when no erasing is in progress any more. */
  stop(): Promise<void>
}

/** Erases now, whenever woken, and once a minute, for files that a crash or another process has left. */
export function startErasing(db: Db, store: Store, onFailure: (error: unknown) => void): Eraser {
  let stopped = false
  let isRequested = false
  let running: Promise<void> | undefined

  async function eraseAll(): Promise<void> {
    while (isRequested && !stopped) {
      isRequested = false
      if ((await eraseDiscarded(db, store)) > 0) isRequested = true
    }
  }
  function wake(): void {
    isRequested = true
    running ??= eraseAll()
      .catch(onFailure)
      .finally(() => {
        running = undefined
      })
  }

  const timer = setInterval(wake, eraseEveryMs)
  timer.unref()
  wake()
  return {
    wake,
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
