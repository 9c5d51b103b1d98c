import type pg from 'pg'
import { waitAtMost } from '../deadline.ts'
import { cutOff } from './timed-client.ts'

const usualBeatMs = 2_000

/**
 * Notices when a connection that mostly waits leads nowhere any more: a silent one would be taken for a quiet one for
 * ever. It is asked something every two seconds, and cut off when it does not answer for as long.
 */
export function keepPulse(client: pg.Client, beatMs = usualBeatMs): void {
  let stopWaiting: (() => void) | undefined
  const timer = setInterval(() => {
    if (stopWaiting) return
    stopWaiting = waitAtMost(beatMs, () => cutOff(client))
    client.query('select').then(
      () => {
        stopWaiting?.()
        stopWaiting = undefined
      },
      () => {},
    )
  }, beatMs).unref()
  client.once('end', () => {
    clearInterval(timer)
    stopWaiting?.()
  })
}
