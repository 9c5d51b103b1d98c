import { unknownId } from '../../src/ids.ts'
import { deleteOutdated } from '../../src/messages/removal/retention-operations.ts'
import { listRows } from './messages.ts'
import { db } from './world.ts'

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
