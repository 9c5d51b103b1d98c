type Repetition = {
  /** Returns the pause before the next run in ms. */
  run(): Promise<number>
  pauseAfterFailureMs: number
  /** Called with the first of consecutive failures. */
  report(error: unknown): void
}

/** Runs something from now on, one run after the other. Returns how to stop, which waits for a run in progress. */
export function repeat({ run, pauseAfterFailureMs, report }: Repetition): () => Promise<void> {
  let isStopped = false
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let running = runOnce()

  async function runOnce(): Promise<void> {
    let pauseMs = pauseAfterFailureMs
    try {
      pauseMs = await run()
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
    }
    if (isStopped) return
    const next = () => {
      running = runOnce()
    }
    timer = setTimeout(next, pauseMs).unref()
  }

  return async () => {
    isStopped = true
    clearTimeout(timer)
    await running
  }
}
