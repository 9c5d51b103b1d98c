import { maxBy } from '../../concurrency/max-by.ts'
import type { Connection, UnsentCounter } from './connection.ts'

/** The bytes of closing connections count until the client has read them, up to this share above the bound. */
const closedShare = 0.5
/** After a count, the connections are counted again when so much more may be unsent. */
const recountShare = 1 / 16

/**
 * Bounds the unsent bytes of several connections together. Past the bound the one with the most is closed; past the
 * bound for closed ones, the one of them with the most is terminated.
 */
class UnsentBytes implements UnsentCounter {
  readonly #connections = new Set<Connection>()
  readonly #maxBytes: number
  /** At least what is unsent: what a connection has written meanwhile is not subtracted before it is counted. */
  #bytes = 0
  #countAt = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isEmpty(): boolean {
    return this.#connections.size === 0
  }

  add(connection: Connection): void {
    this.#connections.add(connection)
    this.change(connection.countedBytes)
  }

  delete(connection: Connection): void {
    if (this.#connections.delete(connection)) this.change(-connection.countedBytes)
  }

  change(bytes: number): void {
    this.#bytes += bytes
    if (bytes > 0 && this.#bytes > this.#countAt) this.#count()
  }

  #count(): void {
    // Counting and closing change `#bytes`, and must not count again.
    this.#countAt = Number.POSITIVE_INFINITY
    for (const connection of this.#connections) connection.countUnsent()
    const { open = [], closed = [] } = Object.groupBy(this.#connections, (one) =>
      one.isOpen ? 'open' : 'closed',
    )
    const removed = removeHeaviest(open, this.#maxBytes)
    for (const connection of removed) connection.close('slow_consumer')
    const maxClosedBytes = this.#maxBytes * (1 + closedShare) - sumOf(open)
    for (const connection of removeHeaviest([...closed, ...removed], maxClosedBytes)) connection.terminate()
    this.#countAt = Math.max(this.#bytes, this.#maxBytes / 2) + this.#maxBytes * recountShare
  }
}

/** Removes the heaviest connections from a list until the rest is within a bound, and returns them. */
function removeHeaviest(connections: Connection[], maxBytes: number): Connection[] {
  const removed: Connection[] = []
  for (let bytes = sumOf(connections); bytes > maxBytes; ) {
    const heaviest = maxBy(connections, (one) => one.countedBytes)!
    connections.splice(connections.indexOf(heaviest), 1)
    removed.push(heaviest)
    bytes -= heaviest.countedBytes
  }
  return removed
}

function sumOf(connections: readonly Connection[]): number {
  return connections.reduce((sum, one) => sum + one.countedBytes, 0)
}

/** A bound for each user, and one for all. */
export class UnsentBounds {
  readonly #ofAll: UnsentBytes
  readonly #ofUsers = new Map<string, UnsentBytes>()
  readonly #maxBytesOfUser: number

  constructor(maxBytes: { ofUser: number; ofAll: number }) {
    this.#maxBytesOfUser = maxBytes.ofUser
    this.#ofAll = new UnsentBytes(maxBytes.ofAll)
  }

  add(userId: string, connection: Connection): void {
    const ofUser = this.#ofUsers.get(userId) ?? new UnsentBytes(this.#maxBytesOfUser)
    this.#ofUsers.set(userId, ofUser)
    connection.countIn([ofUser, this.#ofAll])
  }

  delete(userId: string, connection: Connection): void {
    connection.countIn([])
    if (this.#ofUsers.get(userId)?.isEmpty) this.#ofUsers.delete(userId)
  }
}
