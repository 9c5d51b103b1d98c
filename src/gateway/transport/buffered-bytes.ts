import { maxBy } from '../../concurrency/max-by.ts'

/** A connection whose buffered bytes are counted. */
type Buffering = {
  readonly isOpen: boolean
  /** The buffered bytes when they were counted last. */
  readonly countedBytes: number
  countBuffered(): number
  close(reason: 'slow_consumer'): void
  terminate(): void
}

/** The bytes of closing connections count until they are gone, up to this share above the bound. */
const closedShare = 0.5
/** After a count, the connections are counted again when so much more may be buffered. */
const recountShare = 1 / 16

/**
 * Bounds what several connections buffer together: bytes that their clients have not read, and frames that their clients
 * have begun to send. Past the bound the one with the most is closed; past the bound for closed ones, the one of them
 * with the most is terminated.
 */
export class BufferedBytes {
  readonly #connections = new Set<Buffering>()
  readonly #maxBytes: number
  /** At least what is buffered: what a connection has written meanwhile is not subtracted before it is counted. */
  #bytes = 0
  #countAt = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isEmpty(): boolean {
    return this.#connections.size === 0
  }

  /** The connections, including those that are closing. */
  get connectionCount(): number {
    return this.#connections.size
  }

  add(connection: Buffering): void {
    this.#connections.add(connection)
    this.change(connection.countedBytes)
  }

  delete(connection: Buffering): void {
    if (this.#connections.delete(connection)) this.change(-connection.countedBytes)
  }

  /** Notes a change of the buffered bytes of one of the connections. */
  change(bytes: number): void {
    this.#bytes += bytes
    if (bytes > 0 && this.#bytes > this.#countAt) this.#count()
  }

  #count(): void {
    // Counting and closing change `#bytes`, and must not count again.
    this.#countAt = Number.POSITIVE_INFINITY
    for (const connection of this.#connections) connection.countBuffered()
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
function removeHeaviest(connections: Buffering[], maxBytes: number): Buffering[] {
  const removed: Buffering[] = []
  for (let bytes = sumOf(connections); bytes > maxBytes; ) {
    const heaviest = maxBy(connections, (one) => one.countedBytes)!
    connections.splice(connections.indexOf(heaviest), 1)
    removed.push(heaviest)
    bytes -= heaviest.countedBytes
  }
  return removed
}

function sumOf(connections: readonly Buffering[]): number {
  return connections.reduce((sum, one) => sum + one.countedBytes, 0)
}
