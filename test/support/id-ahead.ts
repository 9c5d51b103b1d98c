import { vi } from 'vitest'
import { epochMs } from '../../src/ids.ts'
import { atEnd } from './at-end.ts'

/**
 * An id of another process, whose clock is ahead. This process makes greater ones once it has seen it: the test ends when
 * its clock has come as far, as others compare ids with it.
 */
export function idAhead(): string {
  const aheadMs = Date.now() + 300
  atEnd(() => vi.waitUntil(() => Date.now() > aheadMs + 1, { timeout: 60_000 }))
  return ((BigInt(aheadMs - epochMs) << 22n) | 77n).toString()
}
