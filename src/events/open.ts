import type { Db } from '../db/client.ts'
import type { HearthEvent } from './events.ts'
import { eventsWithoutSender } from './peers.ts'
import type { Relay } from './relay.ts'

/** How the processes of an installation exchange events: over Redis if there is one, or else over the database. */
type Way = { redisUrl: string | undefined; db: Db; databaseUrl: string }

/** Opens the relay to the other processes. */
export async function openRelay({ redisUrl, db, databaseUrl }: Way): Promise<Relay> {
  if (redisUrl !== undefined) {
    const { openRedisRelay } = await import('./redis-relay.ts')
    return openRedisRelay(redisUrl)
  }
  const { openPostgresRelay } = await import('./postgres-relay.ts')
  return openPostgresRelay(db, databaseUrl)
}

/** Sends events to the running servers from a process that is not one of them, such as a command. */
export async function tellServers({ redisUrl, db }: Way, events: readonly HearthEvent[]): Promise<void> {
  if (events.length === 0) return
  const text = eventsWithoutSender(events)
  if (redisUrl !== undefined) {
    const { sendOverRedis } = await import('./redis-relay.ts')
    return sendOverRedis(redisUrl, text)
  }
  const { sendOverPostgres } = await import('./postgres-relay.ts')
  return sendOverPostgres(db, text)
}
