import { runInNewContext } from 'node:vm'

/** How often it is looked whether there is memory to give back, in ms. */
const lookEveryMs = 10_000
/** Soon after the start, which leaves garbage of its own. */
const firstLookMs = 1_000
/** A process that used less of a processor since the last look has nothing to do. */
const idleShare = 0.05
/** Less than this, or than so much of what was left the last time, is not worth a pause. */
const worthwhileBytes = 24 * 1024 * 1024
const worthwhileShare = 0.25

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/** What a process can say of itself. */
type Readings = { residentBytes(): number; processorMs(): number; collect: Collect }

/**
 * Gives back what the start, and later every time of much load, has taken and nobody uses: V8 keeps the room it has grown
 * for young objects (48 MB) until it runs out of memory, so it is told that it did. Only while there is nothing to do, as
 * everything waits meanwhile. Needs `--expose-gc`, which start.js sets.
 */
export function giveMemoryBack(): void {
  const collect = runInNewContext('globalThis.gc') as Collect | undefined
  if (!collect) return
  const look = idleTidier({
    residentBytes: () => process.memoryUsage.rss(),
    processorMs: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    },
    collect,
  })
  setTimeout(look, firstLookMs).unref()
  setInterval(look, lookEveryMs).unref()
}

/** What is done at each look. */
export function idleTidier({ residentBytes, processorMs, collect }: Readings): () => void {
  let leftBytes = 0
  let usedMs = processorMs()
  return () => {
    const sinceMs = processorMs() - usedMs
    usedMs += sinceMs
    const grownBytes = residentBytes() - leftBytes
    if (sinceMs > lookEveryMs * idleShare) return
    if (grownBytes < Math.max(worthwhileBytes, leftBytes * worthwhileShare)) return
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    leftBytes = residentBytes()
    usedMs = processorMs()
  }
}
