/**
 * Sends short texts between the processes that share a database; any may be lost. A process does not receive its own.
 */
export type Relay = {
  /** Whether ranges of the log are sent over it as well, which costs the database nothing. */
  readonly sendsLog: boolean
  /** Sends to every other process; settled once it is on its way. */
  send(text: string): Promise<void>
  /** Sets the listener, which receives what the others send, in the order in which it was sent. */
  listen(receive: (text: string) => void): void
  /** Undefined for a relay over the database. */
  readonly redis?: RedisState
  /** Sets who is called at the beginning of each outage, with the reason, and at its end. */
  onOutage?(listener: OutageListener): void
  close(): Promise<void>
}

/** Whether all connections to Redis work, and the outages so far. */
export type RedisState = { readonly isAvailable: boolean; readonly outages: number }

export type OutageListener = { began(reason: Error | undefined): void; ended(): void }
