import type { Socket } from 'node:net'
import type pg from 'pg'

const beatMs = 2_000

/**
 * Notices when a connection that mostly waits leads nowhere any more: a silent one would be taken for a quiet one for
 * ever. It is asked something every two seconds, and cut off when it has not answered by the next time.
 */
export function keepPulse(client: pg.Client): void {
  let isAnswered = true
  const timer = setInterval(() => {
    if (!isAnswered) return void cutOff(client)
    isAnswered = false
    client.query('select').then(
      () => {
        isAnswered = true
      },
      () => {},
    )
  }, beatMs).unref()
  client.once('end', () => clearInterval(timer))
}

/** Ends a connection at once, without a farewell that may lead nowhere. */
export function cutOff(client: pg.Client): void {
  ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
}
