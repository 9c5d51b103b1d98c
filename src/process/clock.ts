import { repeat } from '../concurrency/repeat.ts'
import { idsAheadMs, toleratedAheadMs } from '../ids.ts'

const lookEveryMs = 10_000

type Report = {
  /** The clock was ahead, and was set back: until it has come as far again, messages have a later time. */
  began(aheadMs: number): void
  ended(): void
}

/** Looks whether the ids of the process are ahead of its clock, now and every ten seconds. Returns how to stop. */
export function watchClock(
  { began, ended }: Report,
  aheadMs: () => number = idsAheadMs,
): () => Promise<void> {
  let isAhead = false
  return repeat({
    async run() {
      const wasAhead = isAhead
      isAhead = aheadMs() > toleratedAheadMs
      if (isAhead && !wasAhead) began(aheadMs())
      if (!isAhead && wasAhead) ended()
      return lookEveryMs
    },
    pauseAfterFailureMs: lookEveryMs,
    report() {},
  })
}
