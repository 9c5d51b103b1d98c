import { BufferedBytes } from './buffered-bytes.ts'
import { Received, type ReceivedLimit } from './received.ts'

/** The sums over all connections of a person, an address or the process. */
export class Share {
  readonly buffered: BufferedBytes
  readonly received = new Received()
  /** Counts the connections that were closed for what they have sent. */
  readonly refused = new Received()
  readonly maxReceived: ReceivedLimit

  constructor(maxBytes: number, maxReceived: ReceivedLimit) {
    this.buffered = new BufferedBytes(maxBytes)
    this.maxReceived = maxReceived
  }
}
