/** What to do after a close (docs/gateway.md#close-codes). */
export type Next = 'resume' | 'log in at once' | 'log in' | 'wait long' | 'stop'

/** The reaction to a close code and reason. Most connections are resumed after a wait. */
export function nextAfter(code: number, reason: string): Next {
  if (code === 4003) return reason === 'login_timeout' ? 'resume' : 'stop'
  if (code === 4009) return 'log in at once'
  // Another connection has resumed the session.
  if (code === 4010) return 'log in'
  if (code === 4012) return 'wait long'
  return 'resume'
}

const firstWaitMs = 1_000
export const longestWaitMs = 30_000

/** Exponential backoff with jitter: the wait in ms before an attempt, counted from 0. */
export function waitBefore(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt)
  return longest * (0.25 + 0.75 * random())
}
