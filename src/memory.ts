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

/** Resident memory in bytes, processor time used in ms, and the garbage collector. */
type Readings = { residentBytes(): number; processorMs(): number; collect: Collect }

/**
 * Returns memory that the start or a time of load has left unused: V8 keeps its grown young generation (48 MB) until a
 * last-resort collection. That stops the process for a moment, so it is done only while idle. Needs `--expose-gc`,
 * which start.js sets.
 */
export function returnIdleMemory(): void {
  const collect = runInNewContext('globalThis.gc') as Collect | undefined
  if (!collect) return
  const check = idleCollector({
    residentBytes: () => process.memoryUsage.rss(),
    processorMs: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    },
    collect,
  })
  setTimeout(check, firstCheckMs).unref()
  setInterval(check, checkEveryMs).unref()
}

/** One check; to be called every `checkEveryMs`. */
export function idleCollector({ residentBytes, processorMs, collect }: Readings): () => void {
  let leftBytes = 0
  let usedMs = processorMs()
  return () => {
    const sinceMs = processorMs() - usedMs
    usedMs += sinceMs
    const grownBytes = residentBytes() - leftBytes
    if (sinceMs > checkEveryMs * idleShare) return
    if (grownBytes < Math.max(worthwhileBytes, leftBytes * worthwhileShare)) return
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    leftBytes = residentBytes()
    usedMs = processorMs()
  }
}
