/** What to do after a connection has ended: by the close codes of docs/gateway.md. */
export type Next = 'resume' | 'log in at once' | 'log in' | 'wait long' | 'stop'

/** What follows a close: most connections are resumed after a wait. */
export function nextAfter(code: number, reason: string): Next {
  if (code === 4003) return reason === 'login_timeout' ? 'resume' : 'stop'
  if (code === 4009) return 'log in at once'
  // Somebody else has the session now.
  if (code === 4010) return 'log in'
  if (code === 4012) return 'wait long'
  return 'resume'
}

const firstWaitMs = 1_000
export const longestWaitMs = 30_000

/** The wait before an attempt, the first one being 0: twice as long each time, and random, as others wait too. */
export function waitBefore(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt)
  return longest * (0.25 + 0.75 * random())
}
