/**
 * Repeats work until it is stopped. The work returns after how many ms it is due again; a failure is followed by the
 * next attempt after `retryMs`. Of consecutive failures only the first is reported. Returns how to stop, which waits
 * for work in progress.
 */
export function repeat(
  work: () => Promise<number>,
  { retryMs, report }: { retryMs: number; report: (error: unknown) => void },
): () => Promise<void> {
  let isStopped = false
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let running = run()

  async function run(): Promise<void> {
    let waitMs = retryMs
    try {
      waitMs = await work()
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
    }
    if (isStopped) return
    const next = () => {
      running = run()
    }
    timer = setTimeout(next, waitMs).unref()
  }

  return async () => {
    isStopped = true
    clearTimeout(timer)
    await running
  }
}
