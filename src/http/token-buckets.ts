/** A limit: `burst` at once, and one more every `refillMs`. */
export type Limit = { burst: number; refillMs: number }

type Counted = { current: number; ttl: number }
type Callback = (error: Error | null, counted?: Counted) => void

/** The most buckets that are remembered; full ones are dropped first, then the oldest. */
const maxKeys = 50_000

/**
 * Token buckets as a store for @fastify/rate-limit, whose own windows know no burst. The library's `max` is the burst
 * and its `timeWindow` what an empty bucket takes to fill. A bucket is kept as the moment at which it will be full.
 * For a request that is refused `ttl` is the time until the next one is not, else the time until the bucket is full.
 */
export function tokenBuckets(now: () => number, children: Map<string, TokenBuckets>) {
  return class extends TokenBuckets {
    constructor() {
      super(now)
    }

    child(options: object): TokenBuckets & { child(): never } {
      const store = Object.assign(new TokenBuckets(now), { child: noChild })
      const { bucket } = options as { bucket?: string }
      if (bucket !== undefined) children.set(bucket, store)
      return store
    }
  }
}

function noChild(): never {
  throw new Error('a bucket has no buckets in it')
}

export class TokenBuckets {
  readonly #now: () => number
  readonly #fullAtMs = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  incr(key: string, callback: Callback, timeWindow = 1, max = 1): void {
    callback(null, this.take(key, { burst: max, refillMs: timeWindow / max }))
  }

  /** Takes a token, if there is one. */
  take(key: string, { burst, refillMs }: Limit): Counted {
    const now = this.#now()
    const fullAt = Math.max(this.#fullAtMs.get(key) ?? 0, now) + refillMs
    const missing = Math.ceil((fullAt - now) / refillMs - 1e-6)
    if (missing > burst) return { current: burst + 1, ttl: fullAt - now - burst * refillMs }
    this.#fullAtMs.delete(key)
    this.#fullAtMs.set(key, fullAt)
    if (this.#fullAtMs.size > maxKeys) this.#forget(now)
    return { current: missing, ttl: fullAt - now }
  }

  /** The time in ms until there is a token; 0 if there is one now. */
  waitMs(key: string, { burst, refillMs }: Limit): number {
    return Math.max(0, (this.#fullAtMs.get(key) ?? 0) - this.#now() - (burst - 1) * refillMs)
  }

  /** Gives back the token of a request that turned out not to count. */
  giveBack(key: string, { refillMs }: Limit): void {
    const fullAt = this.#fullAtMs.get(key)
    if (fullAt !== undefined) this.#fullAtMs.set(key, fullAt - refillMs)
  }

  #forget(now: number): void {
    for (const [key, fullAt] of this.#fullAtMs) if (fullAt <= now) this.#fullAtMs.delete(key)
    for (const key of this.#fullAtMs.keys()) {
      if (this.#fullAtMs.size <= maxKeys) break
      this.#fullAtMs.delete(key)
    }
  }
}
