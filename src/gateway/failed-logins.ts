const minuteMs = 60_000
const maxAddresses = 10_000

/** Counts failed logins per address: a bucket that refills by the minute. */
export type FailedLogins = {
  add(address: string): void
  /** Seconds until the next try, 0 when there may be one now. */
  waitSeconds(address: string): number
}

export function createFailedLogins(perMinute: number): FailedLogins {
  // When the bucket of an address will be full again: each failure puts that off by one part of a minute.
  const fullAtMs = new Map<string, number>()
  const partMs = minuteMs / perMinute

  function forget(now: number): void {
    for (const [address, at] of fullAtMs) if (at <= now) fullAtMs.delete(address)
    for (const address of fullAtMs.keys()) {
      if (fullAtMs.size < maxAddresses) break
      fullAtMs.delete(address)
    }
  }

  return {
    add(address) {
      const now = Date.now()
      if (fullAtMs.size >= maxAddresses) forget(now)
      fullAtMs.set(address, Math.max(fullAtMs.get(address) ?? 0, now) + partMs)
    },
    waitSeconds(address) {
      const missingMs = (fullAtMs.get(address) ?? 0) - Date.now()
      return missingMs <= minuteMs - partMs ? 0 : Math.ceil((missingMs - (minuteMs - partMs)) / 1000)
    },
  }
}
