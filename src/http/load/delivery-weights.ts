import { type Limit, TokenBuckets } from './token-buckets.ts'

const mebibyte = 1024 * 1024

/** The bytes that the changes of a person may have delivered at once, and then each second. */
export const deliveryLimit: Limit = { burst: 32 * mebibyte, refillMs: 1_000 / mebibyte }
/** The least weight of an event, which is also written and read, and the greatest, so that big houses can be changed. */
export const minEventWeight = 16 * 1024
export const maxEventWeight = 2 * mebibyte

/**
 * Charges people for the events of their changes, by bytes times receivers and by what is read for them. The weight of a
 * change is known only once it is delivered, so it is the next change that is refused until this one is paid.
 */
export class DeliveryWeights {
  readonly #buckets: TokenBuckets
  readonly #payers = new WeakMap<object, string>()
  /** The number of changes that were refused. */
  refused = 0

  constructor(limit: Limit, now?: () => number) {
    this.#buckets = new TokenBuckets(limit, now)
  }

  /** The ms until a person may change something again; 0 if they may now. */
  waitMs(personId: string): number {
    return this.#buckets.waitMs(personId)
  }

  /** Charges a person for these events: the least weight now, and the rest when they are delivered. */
  charge(personId: string, events: readonly object[]): void {
    this.#buckets.charge(personId, minEventWeight * events.length)
    for (const event of events) this.#payers.set(event, personId)
  }

  /** Charges the payer of an event that was delivered, by its weight in bytes. */
  delivered(event: object, weight: number): void {
    const payer = this.#payers.get(event)
    if (payer === undefined || weight <= minEventWeight) return
    this.#buckets.charge(payer, Math.min(weight, maxEventWeight) - minEventWeight)
  }
}
