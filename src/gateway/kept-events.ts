import type { KeptBytes } from './detached.ts'
import { lengthOf, type Payload } from './frames.ts'
import { NumberQueue } from './number-queue.ts'

/** All events that any session keeps, by the number that each gets when the first session keeps it. */
const events = new Map<number, Payload>()
let lastNumber = 0

/**
 * The events that a session keeps for a replay, the oldest first. It stores their numbers: members of the same houses
 * are sent the same events one after the other, so that a thousand numbers are a few runs.
 */
export class KeptEvents implements Iterable<Payload> {
  /** The size of their JSON, all together. */
  bytes = 0
  #numbers = new NumberQueue()
  #counter: KeptBytes | undefined

  get length(): number {
    return this.#numbers.length
  }

  push(event: Payload): void {
    if (!event.keepers) {
      lastNumber += 1
      event.number = lastNumber
      event.keepers = 0
      events.set(lastNumber, event)
    }
    event.keepers! += 1
    this.#numbers.push(event.number!)
    this.bytes += lengthOf(event)
    this.#counter?.add(event)
  }

  /** Drops the oldest. */
  shift(): void {
    const number = this.#numbers.shift()
    if (number === undefined) return
    const event = events.get(number)!
    event.keepers! -= 1
    if (event.keepers === 0) events.delete(number)
    this.bytes -= lengthOf(event)
    this.#counter?.remove(event)
  }

  clear(): void {
    while (this.length > 0) this.shift()
  }

  *[Symbol.iterator](): Generator<Payload> {
    for (const number of this.#numbers) yield events.get(number)!
  }

  /** Counts the present and all later ones in `counter`, or no longer counts them. */
  countIn(counter: KeptBytes | undefined): void {
    for (const event of this) {
      this.#counter?.remove(event)
      counter?.add(event)
    }
    this.#counter = counter
  }
}
