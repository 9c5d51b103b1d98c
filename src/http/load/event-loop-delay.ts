import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'

const sampleEveryMs = 250
const resolutionMs = 10

/**
 * Reports four times a second, from listening until closing, how late the event loop runs: the median delay since the
 * last report, and the time since then, both in ms.
 */
export function watchEventLoopDelay(
  app: FastifyInstance,
  report: (delayMs: number, elapsedMs: number) => void,
): void {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  let timer: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    // Not before: that of an app that never listens would be collected while its handle is still open.
    const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
    histogram.enable()
    delays = histogram
    let last = performance.now()
    timer = setInterval(() => {
      const now = performance.now()
      report(Math.max(0, histogram.percentile(50) / 1e6 - resolutionMs), now - last)
      last = now
      histogram.reset()
    }, sampleEveryMs).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays?.disable()
  })
}
