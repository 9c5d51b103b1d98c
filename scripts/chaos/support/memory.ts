import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '../../../test/support/server.ts'
import { residentMb } from '../../bench/processes.ts'

const givenBackWithinMs = 90_000
const lookEveryMs = 100

/**
 * Resident memory of a server in MB, once it has given back what it can: when a look finds it idle (src/process/memory.ts). Waits no
 * longer than until it has grown by no more than `maxGrownMb`.
 */
export async function settledMb({ child }: Server, beforeMb: number, maxGrownMb: number): Promise<number> {
  const deadline = performance.now() + givenBackWithinMs
  for (;;) {
    const nowMb = await residentMb(child)
    if (nowMb - beforeMb <= maxGrownMb || performance.now() > deadline) return nowMb
    await pause(lookEveryMs)
  }
}
