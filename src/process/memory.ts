import { runInNewContext } from 'node:vm'

/** How often the process checks for memory to return, in ms. */
const checkEveryMs = 10_000
/** The time of the first check: the start leaves garbage. */
const firstCheckMs = 1_000
/** A process that has used less of a CPU than this since the last check is idle. */
const idleShare = 0.05
/**
 * The growth since the last collection that is worth the pause: at least these bytes, and this share of what remained
 * then.
 */
const worthwhileBytes = 24 * 1024 * 1024
const worthwhileShare = 0.25

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * Returns memory that the start or a time of load has left unused: V8 keeps its grown young generation (48 MB) until a
 * last-resort collection. That stops the process for a moment, so it is done only while idle. Needs `--expose-gc`,
 * which start.js sets.
 */
export function returnIdleMemory(): void {
  const collect = runInNewContext('globalThis.gc') as Collect | undefined
  if (!collect) return
  let leftBytes = 0
  let used = process.cpuUsage()

  function check(): void {
    const { user, system } = process.cpuUsage(used)
    used = process.cpuUsage()
    const grownBytes = process.memoryUsage.rss() - leftBytes
    if ((user + system) / 1000 > checkEveryMs * idleShare) return
    if (grownBytes < Math.max(worthwhileBytes, leftBytes * worthwhileShare)) return
    collect!({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    leftBytes = process.memoryUsage.rss()
    used = process.cpuUsage()
  }
  setTimeout(check, firstCheckMs).unref()
  setInterval(check, checkEveryMs).unref()
}
