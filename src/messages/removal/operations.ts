import type { Db } from '../../database/client.ts'
import { greatestId, nobodysId } from '../../ids.ts'
import { discardRoomFiles } from '../attachments/queries.ts'
import { deleteMentionsBetween, deleteMessagesBetween, findMessageAhead } from './queries.ts'

/** Messages per statement: a second or two on a busy database. */
const batchSize = 50_000

/**
 * Deletes all messages of locked rooms that are about to be deleted, with their mentions, in batches, and discards their
 * files. The foreign keys would delete them in the statement that deletes the rooms, which has a time limit.
 */
export async function removeMessages(trx: Db, roomIds: readonly string[], atOnce = batchSize): Promise<void> {
  await discardRoomFiles(trx, roomIds)
  for (const roomId of roomIds) {
    let after: string | null = nobodysId
    while (after !== null) {
      const ahead = await findMessageAhead(trx, roomId, after, atOnce - 1)
      const last = ahead ?? greatestId
      // Messages before mentions: the order in which edits and the sweep lock them.
      await deleteMessagesBetween(trx, roomId, after, last)
      await deleteMentionsBetween(trx, roomId, after, last)
      after = ahead
    }
  }
}
