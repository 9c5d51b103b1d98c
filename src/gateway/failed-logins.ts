import { type Limit, TokenBuckets } from '../http/token-buckets.ts'

/** Counts failed logins, with a token bucket for each address (PROTOCOL 1.7). */
export type FailedLogins = {
  add(address: string): void
  /** Seconds until the next attempt is allowed; 0 if it is allowed now. */
  waitSeconds(address: string): number
}

export function createFailedLogins(limit: Limit): FailedLogins {
  const buckets = new TokenBuckets(() => performance.now())
  return {
    add: (address) => void buckets.take(address, limit),
    waitSeconds: (address) => Math.ceil(buckets.waitMs(address, limit) / 1000),
  }
}
