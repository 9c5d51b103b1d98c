import type { Db } from '../database/client.ts'
import type { Node } from '../database/node-number.ts'
import { openPostgresRelay } from './postgres-relay.ts'
import type { Relay } from './relay.ts'

/** Opens the relay to the other processes: over Redis if there is one, or else over the database. */
export async function openRelay(db: Db, node: Node, redisUrl: string | undefined): Promise<Relay> {
  if (redisUrl === undefined) return openPostgresRelay(db, node)
  const { openRedisRelay } = await import('./redis-relay.ts')
  return openRedisRelay(redisUrl)
}
