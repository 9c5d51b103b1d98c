import { setImmediate as turn } from 'node:timers/promises'

/** Blocks the event loop, as a process without CPU time: arriving data is not read. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** The timers that are due, what has come, and what follows from it. */
export async function someTurns(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await turn()
}
