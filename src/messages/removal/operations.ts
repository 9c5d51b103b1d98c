import type { Db } from '../../database/client.ts'
import { greatestId, nobodysId } from '../../ids.ts'
import { discardRoomFiles } from '../attachments/queries.ts'
import { deleteReactionCountsOfRoom, deleteReactionsOfRoom } from '../reactions/queries.ts'
import { deleteMentionsBetween, deleteMessagesBetween, findMessageAhead } from './queries.ts'

/** Gone within a second or two, even while the database is busy. */
const removedAtOnce = 50_000

/**
 * Removes all messages of locked rooms that are about to go, with their mentions and reactions, and lists their files as discarded.
 * Left to the foreign keys, they would go in the one statement that deletes the rooms, and that has a time limit.
 */
export async function removeMessages(
  trx: Db,
  roomIds: readonly string[],
  atOnce = removedAtOnce,
): Promise<void> {
  await discardRoomFiles(trx, roomIds)
  for (const roomId of roomIds) {
    let after: string | null = nobodysId
    while (after !== null) {
      const ahead = await findMessageAhead(trx, roomId, after, atOnce - 1)
      const last = ahead ?? greatestId
      // In the order in which an edit, and the end of an exploding message, lock them.
      await deleteMessagesBetween(trx, roomId, after, last)
      await deleteMentionsBetween(trx, roomId, after, last)
      after = ahead
    }
    while ((await deleteReactionsOfRoom(trx, roomId, atOnce)) === atOnce);
    while ((await deleteReactionCountsOfRoom(trx, roomId, atOnce)) === atOnce);
  }
}
