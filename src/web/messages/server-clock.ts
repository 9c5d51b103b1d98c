import { onEvent } from '../connection.ts'

/** How far the server's clock is ahead of this device's, in ms; undefined until it is known. */
let aheadMs: number | undefined

onEvent(({ e, d }) => {
  // What comes late seems to come from a clock that is behind: the largest difference is the nearest to the truth.
  if (e === 'MESSAGE_CREATE') aheadMs = Math.max(aheadMs ?? -Infinity, d.timestamp - Date.now())
})

/** What the clock of the server shows, by the times of its messages; in ms since 1970. */
export function serverNow(): number {
  return Date.now() + (aheadMs ?? 0)
}
