import { type Limit, TokenBuckets } from './token-buckets.ts'

const mebibyte = 1024 * 1024

/** The bytes that a user's changes may have delivered to others at once, and then each second. */
export const deliveryLimit: Limit = { burst: 32 * mebibyte, refillMs: 1_000 / mebibyte }
/** What an event counts at least, as it is also written and read, and at most, so that big houses can be changed. */
export const minEventWeight = 16 * 1024
export const maxEventWeight = 2 * mebibyte

/**
 * Charges users for the events of their changes, by bytes times receivers and by what is read for them. Nobody knows the weight of a change before it
 * is delivered: the next one waits until it is paid.
 */
export class DeliveryWeights {
  readonly #buckets: TokenBuckets
  readonly #payers = new WeakMap<object, string>()
  /** The changes that were refused. */
  refused = 0

  constructor(limit: Limit, now?: () => number) {
    this.#buckets = new TokenBuckets(limit, now)
  }

  /** The ms until a user may change something again; 0 if they may now. */
  waitMs(userId: string): number {
    return this.#buckets.waitMs(userId)
  }

  /** Charges a user for these events, now and when they are delivered. */
  charge(userId: string, events: readonly object[]): void {
    this.#buckets.charge(userId, minEventWeight * events.length)
    for (const event of events) this.#payers.set(event, userId)
  }

  /** An event was delivered, and weighs as much as so many bytes sent. */
  delivered(event: object, weight: number): void {
    const payer = this.#payers.get(event)
    if (payer === undefined || weight <= minEventWeight) return
    this.#buckets.charge(payer, Math.min(weight, maxEventWeight) - minEventWeight)
  }
}
