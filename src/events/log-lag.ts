/** How far behind the end of the log the deliveries of a process are. */
export type LogLag = {
  /**
   * How long ago, in ms, a read of the log began whose entries, and all before them, are delivered. What was committed
   * before that is delivered. A process that keeps up reads once a second, so it is a second behind at most.
   */
  readonly ms: number
  /** The reader begins at the end of the log. */
  begin(): void
  /** A read that began at `startedMs` came to the end of the log, at this position. */
  readToEnd(position: number, startedMs: number): void
  /** Everything up to a position is delivered. */
  deliveredUpTo(position: number): void
}

/** Measures the lag of a reader of the log. */
export function measureLag(): LogLag {
  let deliveredMs = performance.now()
  /** A read to the end of which not everything is delivered. */
  let read: { position: number; startedMs: number } | undefined
  return {
    get ms() {
      return performance.now() - deliveredMs
    },
    begin() {
      deliveredMs = performance.now()
      read = undefined
    },
    readToEnd(position, startedMs) {
      // A later read must not take its place: on a busy process one read begins before the last one is delivered.
      read ??= { position, startedMs }
    },
    deliveredUpTo(position) {
      if (!read || position < read.position) return
      deliveredMs = read.startedMs
      read = undefined
    },
  }
}
