import type pg from 'pg'
import { waitAtMost } from '../deadline.ts'
import { cutOff, TimedClient } from './timed-client.ts'

const connectWithinMs = 1_000
const defaultBeatMs = 2_000

/** A connection outside of the pools, to be kept for as long as it answers. Throws `DatabaseAway` after a second. */
export async function connectWithPulse(databaseUrl: string, applicationName: string): Promise<pg.Client> {
  const client = new TimedClient({
    connectionString: databaseUrl,
    application_name: applicationName,
    connectWithinMs,
  })
  client.on('error', () => {})
  await client.connect()
  keepPulse(client)
  return client
}

/**
 * Keeps a connection that only listens from being dead without anybody noticing: it is queried every two seconds, and
 * closed if it does not answer for as long.
 */
export function keepPulse(client: pg.Client, beatMs = defaultBeatMs): void {
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
