import type { RateLimit } from './rate-limit.ts'

/** The most keys whose blocks are remembered. The rest of the oldest block is lost. */
const maxKeys = 50_000

/**
 * The same limit, counted in blocks of so many tokens: a count takes a whole block of a key, and the next counts use it
 * up. For limits that are shared through Redis and counted with every request.
 */
export function inBlocks(limit: RateLimit, block: number): RateLimit {
  const left = new Map<string, number>()

  function add(key: string, count: number): void {
    left.set(key, (left.get(key) ?? 0) + count)
    if (left.size > maxKeys) left.delete(left.keys().next().value!)
  }

  return {
    ...limit,
    async count(key, options = {}) {
      const { count = 1 } = options
      if ((left.get(key) ?? 0) < count) {
        const taken = Math.max(count, block)
        // Near the end of a limit there may be no whole block.
        const isTaken = taken > count && (await limit.allows(key, taken))
        if (!isTaken) return limit.count(key, options)
        add(key, taken)
      }
      add(key, -count)
    },
    async giveBack(key, count = 1) {
      add(key, count)
    },
  }
}
