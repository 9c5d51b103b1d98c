import type { Db } from '../../src/database/client.ts'
import { claimNodeNumber } from '../../src/database/node-number.ts'
import { openBus } from '../../src/events/bus.ts'
import type { Relay } from '../../src/events/relay.ts'
import { createPresenceTracker } from '../../src/gateway/presence/presence-tracker.ts'
import { bus as busOfWorld, databaseUrl, db } from './world.ts'

/** What another process has of its own: a node number, the bus, who is online there. */
export async function newBus(relay?: Relay, database: Db = db) {
  const relaying = relay?.sendsLog ? 'redis' : 'postgres'
  const node = await claimNodeNumber(databaseUrl, { assign: () => {}, relaying })
  const bus = await openBus(database, node, relay)
  const presences = createPresenceTracker(database, bus)
  const close = async () => {
    await presences.stop()
    await bus.close()
    await node.release()
    // What this process has added to the log must not come in the midst of a later test.
    await busOfWorld.catchUp()
  }
  return { bus, node, presences, close }
}
