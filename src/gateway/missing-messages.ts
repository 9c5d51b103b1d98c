import { type Gap, listMissed } from '../messages/missed-operations.ts'
import type { Gateway } from './gateway.ts'
import { createMessageOrder, type MessageOrder } from './message-order.ts'
import { maxMissedMessages } from './settings.ts'

/** The message order of a gateway: messages that another process failed to pass on are read from the database. */
export function orderMessages(gateway: Gateway): MessageOrder {
  const { db, hub, log } = gateway

  /** Where nobody here is in the room, nothing is read. */
  async function find(gap: Gap) {
    if (hub.inRoom(gap.room_id).length === 0) return []
    const found = await listMissed(db, gap, maxMissedMessages + 1, gateway.origin())
    return found.length > maxMissedMessages ? undefined : found
  }

  /** Ends the sessions that would miss the messages: their clients log in again and load the room anew. */
  function giveUp(room_id: string): void {
    log.error({ room_id }, 'messages of another process are missing')
    for (const session of hub.inRoom(room_id)) gateway.end(session, 'internal_error')
  }

  const waitMs = gateway.settings.missingMessageMs
  const hearsLate = () => gateway.hearsLate
  return createMessageOrder({ waitMs, hearsLate, find, giveUp, tell: (fact) => gateway.dispatch(fact) })
}
