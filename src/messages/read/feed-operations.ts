import type { TurnTaker } from '../../auth/queries.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../database/client.ts'
import { findBlocked } from '../../friendships/block-queries.ts'
import { listHouseIds } from '../../houses/queries.ts'
import { greatestId, nextId } from '../../ids.ts'
import { canRead } from '../../rooms/permissions.ts'
import { findRoomAccess } from '../../rooms/queries.ts'
import { type IdRange, listFeedKeys, maxFeedBatch } from './feed-queries.ts'
import { type ListedMessageRow, listMessages, newestFirst, type Page } from './page-queries.ts'

/** Two feeds at a time leave the other database connections to other requests. */
const queueFeed = createFairQueue({ atOnce: 2, waiting: 64 })

/**
 * A page of the messages of all house rooms that a user can read now (docs/api.md#streams), newest first. Throws
 * `unavailable` if too many feeds of this user, or of all users, wait.
 */
export function listOwnFeed(
  db: Db,
  { id: userId, owner_id }: TurnTaker,
  page: Page,
): Promise<ListedMessageRow[]> {
  return queueFeed(owner_id, async () => {
    const houseIds = await listHouseIds(db, userId)
    if (houseIds.length === 0) return []
    const read = (range: IdRange, limit: number) => readFeed(db, { userId, houseIds, range, limit })
    const { limit, before = greatestId, after, around } = page
    if (after !== undefined) return read({ after }, limit)
    if (around === undefined) return read({ before }, limit)
    const end = around === greatestId ? around : nextId(around)
    const older = await read({ before: end }, Math.ceil(limit / 2))
    return [...(await read({ after: around }, Math.floor(limit / 2))), ...older]
  })
}

type FeedRange = { userId: string; houseIds: readonly string[]; range: IdRange; limit: number }

/** Each batch is four times the previous one, so that few batches are read if the user may see few of the messages. */
const batchGrowth = 4

/**
 * The messages of an id range that the user may see, newest first. They are read by house, in batches, and access is read
 * only for the rooms of a batch: a user may have tens of thousands of rooms.
 */
async function readFeed(db: Db, { userId, houseIds, range, limit }: FeedRange): Promise<ListedMessageRow[]> {
  const isForward = 'after' in range
  const found: ListedMessageRow[] = []
  const canReadIn = new Map<string, boolean>()
  let rest = range
  for (let count = limit; found.length < limit; count = Math.min(count * batchGrowth, maxFeedBatch)) {
    const except_rooms = [...canReadIn.keys()].filter((roomId) => !canReadIn.get(roomId))
    const keys = await listFeedKeys(db, { house_ids: houseIds, except_rooms, range: rest, count })
    await addRoomAccess(db, userId, keys, canReadIn)
    const readable = keys.filter((key) => canReadIn.get(key.room_id))
    const messages = await listUnblocked(db, userId, readable)
    found.push(...(isForward ? messages.reverse() : messages))
    const last = keys.at(-1)
    if (!last || keys.length < count) break
    rest = isForward ? { after: last.id } : { before: last.id }
  }
  return found.slice(0, limit).sort(newestFirst)
}

type MessageKey = { room_id: string; id: string }

/** Adds to `canReadIn` whether the user can read the rooms of these messages, for rooms that it lacks. */
async function addRoomAccess(
  db: Db,
  userId: string,
  keys: readonly MessageKey[],
  canReadIn: Map<string, boolean>,
): Promise<void> {
  const unknown = new Set(keys.map((key) => key.room_id).filter((roomId) => !canReadIn.has(roomId)))
  await Promise.all(
    Array.from(unknown, async (room_id) => {
      canReadIn.set(room_id, canRead(await findRoomAccess(db, { room_id, user_id: userId })))
    }),
  )
}

/** These messages without those by users whom the user blocks or restricts, newest first. */
async function listUnblocked(
  db: Db,
  userId: string,
  keys: readonly MessageKey[],
): Promise<ListedMessageRow[]> {
  const roomIds = keys.map((key) => key.room_id)
  const ids = keys.map((key) => key.id)
  const messages = await listMessages(db, roomIds, ids)
  const blocked = await findBlocked(db, userId, [...new Set(messages.map((each) => each.author_id))])
  return messages.filter((each) => !blocked.has(each.author_id))
}
