/** A limit: `burst` at once, and one more every `refillMs`. */
export type Limit = { burst: number; refillMs: number }

/** `ttlMs`: the time until the bucket is full; of tokens that were not there, until they are. */
export type Taken = { isAllowed: boolean; remaining: number; ttlMs: number }

/** The tokens that a bucket lacks which is full after so many ms. */
export function missingTokens({ refillMs }: Limit, ttlMs: number): number {
  return Math.ceil(ttlMs / refillMs - 1e-6)
}

/** The most buckets that are remembered; full ones are dropped first, then the oldest. */
const maxKeys = 50_000

/** A token bucket for each key. A bucket is kept as the moment at which it will be full, in ms of the clock `now`. */
export class TokenBuckets {
  readonly #limit: Limit
  readonly #now: () => number
  readonly #fullAtMs = new Map<string, number>()

  constructor(limit: Limit, now: () => number = () => performance.now()) {
    this.#limit = limit
    this.#now = now
  }

  /** Takes so many tokens, if they are there. */
  take(key: string, count = 1): Taken {
    const { burst, refillMs } = this.#limit
    const now = this.#now()
    const fullAt = Math.max(this.#fullAtMs.get(key) ?? 0, now) + refillMs * count
    const missing = missingTokens(this.#limit, fullAt - now)
    if (missing > burst) return { isAllowed: false, remaining: 0, ttlMs: fullAt - now - burst * refillMs }
    this.#remember(key, fullAt, now)
    return { isAllowed: true, remaining: burst - missing, ttlMs: fullAt - now }
  }

  /** Takes so many tokens, even if they are not there: later takes wait until they are back. */
  charge(key: string, count: number): void {
    const now = this.#now()
    const fullAt = Math.max(this.#fullAtMs.get(key) ?? 0, now) + this.#limit.refillMs * count
    this.#remember(key, fullAt, now)
  }

  /** The time in ms until there is a token; 0 if there is one now. */
  waitMs(key: string): number {
    const { burst, refillMs } = this.#limit
    return Math.max(0, (this.#fullAtMs.get(key) ?? 0) - this.#now() - (burst - 1) * refillMs)
  }

  /** Gives back the tokens of what turned out not to count. */
  giveBack(key: string, count = 1): void {
    const fullAt = this.#fullAtMs.get(key)
    if (fullAt !== undefined) this.#fullAtMs.set(key, fullAt - this.#limit.refillMs * count)
  }

  #remember(key: string, fullAt: number, now: number): void {
    this.#fullAtMs.delete(key)
    this.#fullAtMs.set(key, fullAt)
    if (this.#fullAtMs.size > maxKeys) this.#forget(now)
  }

  #forget(now: number): void {
    for (const [key, fullAt] of this.#fullAtMs) if (fullAt <= now) this.#fullAtMs.delete(key)
    for (const key of this.#fullAtMs.keys()) {
      if (this.#fullAtMs.size <= maxKeys) break
      this.#fullAtMs.delete(key)
    }
  }
}
