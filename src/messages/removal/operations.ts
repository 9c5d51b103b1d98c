import { repeat } from '../../concurrency/repeat.ts'
import { type Db, isDistributed } from '../../database/client.ts'
import type { HearthEvent } from '../../events/events.ts'
import { readStateEvents } from '../../read-states/mention-operations.ts'
import { discardFilesAtOnce } from '../../storage/discard.ts'
import { type DeletedWithMessages, deleteMessages } from '../queries.ts'
import { deleteHeads, deleteUserRowsIn } from './distributed-queries.ts'
import {
  type DeletedRow,
  deleteMentionsIn,
  deleteRemovedRooms,
  insertRemovedRooms,
  lockMessagesIn,
  lockRemovedRooms,
} from './queries.ts'

/** A statement has a time limit, which this many mentions, or read states, are far from. */
const mentionsAtOnce = 50_000
/** Such a batch takes some 20 ms. With the pauses, sending is delayed by no more than that. */
const messagesAtOnce = 1_000
const roomsAtOnce = 100
const batchPauseMs = 20
const idlePauseMs = 1_000

/** Deletes locked messages, and discards their attachments. Returns the discarded files, and the mentions. */
async function deleteWithFiles(
  trx: Db,
  messages: readonly { room_id: string; id: string }[],
): Promise<DeletedWithMessages> {
  if (messages.length === 0) return { files: [], mentions: [] }
  const deleted = await deleteMessages(trx, messages)
  if (deleted.files.length > 0) await discardFilesAtOnce(trx, deleted.files)
  return deleted
}

/** Deletes locked messages. Returns the files to erase, and the events. */
export async function deleteWithEvents(
  trx: Db,
  messages: readonly DeletedRow[],
): Promise<{ files: string[]; events: HearthEvent[] }> {
  const { files, mentions } = await deleteWithFiles(trx, messages)
  const deletions = messages.map(({ room_id, house_id, id: message_id }): HearthEvent => {
    return { type: 'message_deleted', room_id, house_id, message_id }
  })
  return { files, events: [...deletions, ...(await readStateEvents(trx, mentions))] }
}

/**
 * Removes the messages of locked rooms that are about to be deleted: the mentions at once, because a page of mentions
 * is counted before its rooms are read; the messages later (`startDeleting`), because nobody can read them without their
 * room.
 */
export async function removeMessages(trx: Db, roomIds: readonly string[]): Promise<void> {
  await insertRemovedRooms(trx, roomIds)
  while ((await deleteMentionsIn(trx, roomIds, mentionsAtOnce)) === mentionsAtOnce);
}

/**
 * Deletes heads, mentions and read states of rooms that were just deleted, in the same transaction. Where the message
 * store is not distributed, foreign keys have done so. An edit or ack that had locked a room has ended by now.
 */
export async function removeRowsOf(trx: Db, roomIds: readonly string[]): Promise<void> {
  if (!isDistributed(trx) || roomIds.length === 0) return
  await deleteHeads(trx, roomIds)
  for (const table of ['mentions', 'read_states'] as const) {
    while ((await deleteUserRowsIn(trx, table, roomIds, mentionsAtOnce)) === mentionsAtOnce);
  }
}

/** Deletes some of the messages of removed rooms; false if there are no such rooms. Safe in several processes at once. */
export async function deleteRemoved(db: Db): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const rooms = await lockRemovedRooms(trx, roomsAtOnce)
    if (rooms.length === 0) return false
    const messages = await lockMessagesIn(trx, rooms, messagesAtOnce)
    await deleteWithFiles(trx, messages)
    if (messages.length < messagesAtOnce) await deleteRemovedRooms(trx, rooms)
    return true
  })
}

/**
 * Deletes the messages of removed rooms a few at a time. Returns how to stop, which waits for a batch in progress. Of
 * consecutive failures only the first is reported.
 */
export function startDeleting(db: Db, report: (error: unknown) => void): () => Promise<void> {
  const run = async () => ((await deleteRemoved(db)) ? batchPauseMs : idlePauseMs)
  return repeat({ run, pauseAfterFailureMs: idlePauseMs, report })
}
