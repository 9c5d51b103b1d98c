import type { HearthEvent } from '../../src/events/events.ts'
import { unknownId } from '../../src/ids.ts'
import { deleteOutdated } from '../../src/messages/removal/retention-operations.ts'
import { atEnd } from './at-end.ts'
import { listRows } from './messages.ts'
import { bus, db } from './world.ts'

/** Sweeps through all rooms once. Returns how many messages each step has deleted. */
export async function sweep(maxAgeMs?: number): Promise<number[]> {
  const counts = []
  let after: string | null = unknownId
  while (after !== null) {
    const { answer }: Awaited<ReturnType<typeof deleteOutdated>> = await deleteOutdated(db, maxAgeMs, after)
    counts.push(answer.count)
    after = answer.next
  }
  return counts
}

export const idsOf = async (roomId: string) => (await listRows(roomId)).map(({ id }) => id)

/** The deletions of messages in these rooms from now on. */
export function deletionsIn(...rooms: readonly string[]): HearthEvent[] {
  const events: HearthEvent[] = []
  const stop = bus.subscribe((event) => {
    if (event.type === 'message_deleted' && rooms.includes(event.room_id)) events.push(event)
  })
  atEnd(stop)
  return events
}
