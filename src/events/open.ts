import type { Db } from '../db/client.ts'
import type { HearthEvent } from './events.ts'
import { eventsWithoutSender } from './peers.ts'
import type { Relay } from './relay.ts'

/** By what the processes of an installation hear of each other: Redis, else the database. */
export type Way = { redisUrl: string | undefined; db: Db; databaseUrl: string }

/** Joins the other processes. */
export async function openRelay({ redisUrl, db, databaseUrl }: Way): Promise<Relay> {
  if (redisUrl !== undefined) {
    const { openRedisRelay } = await import('./redis-relay.ts')
    return openRedisRelay(redisUrl)
  }
  const { openPostgresRelay } = await import('./postgres-relay.ts')
  return openPostgresRelay(db, databaseUrl)
}

/** Tells the servers that run what somebody has done who is none of them. */
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
