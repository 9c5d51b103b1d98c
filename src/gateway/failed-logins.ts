import type { Limit } from '../http/token-buckets.ts'

const maxAddresses = 10_000

/** Counts failed logins, with a token bucket for each address (PROTOCOL 1.7). */
export type FailedLogins = {
  add(address: string): void
  /** Seconds until the next attempt is allowed; 0 if it is allowed now. */
  waitSeconds(address: string): number
}

export function createFailedLogins({ burst, refillMs }: Limit): FailedLogins {
  // By address, the time at which its bucket will be full again: each failure delays that, until the bucket is empty.
  const fullAtMs = new Map<string, number>()
  const emptyMs = burst * refillMs

  function forget(now: number): void {
    for (const [address, at] of fullAtMs) if (at <= now) fullAtMs.delete(address)
    for (const address of fullAtMs.keys()) {
      if (fullAtMs.size < maxAddresses) break
      fullAtMs.delete(address)
    }
  }

  return {
    add(address) {
      const now = performance.now()
      if (fullAtMs.size >= maxAddresses) forget(now)
      const fullAt = Math.max(fullAtMs.get(address) ?? 0, now) + refillMs
      fullAtMs.set(address, Math.min(fullAt, now + emptyMs))
    },
    waitSeconds(address) {
      const missingMs = (fullAtMs.get(address) ?? 0) - performance.now()
      return Math.max(0, Math.ceil((missingMs - (emptyMs - refillMs)) / 1000))
    },
  }
}
