/**
 * Runs `work` one run at a time. Each call gets the run that begins after it; all calls before it begins share it.
 */
export function shareRuns(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= last.then(() => {
      next = undefined
      return work()
    })
    last = next.catch(() => {})
    return next
  }
}
