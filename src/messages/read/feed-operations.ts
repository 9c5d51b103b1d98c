import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../database/client.ts'
import { listHouseIds } from '../../houses/queries.ts'
import { greatestId, nextId } from '../../ids.ts'
import { canRead } from '../../rooms/permissions.ts'
import { findRoomAccess } from '../../rooms/queries.ts'
import { type IdRange, listMutedRooms, listPlaces, maxPlaces } from './feed-queries.ts'
import { type ListedMessageRow, listMessages, newestFirst, type Page } from './page-queries.ts'

/** Feeds that are read at the same time: they leave the other connections to everybody else. */
const takeTurn = createFairQueue({ atOnce: 2, waiting: 64 })

/**
 * A page of the messages of all house rooms that a user can read now (docs/api.md#streams), newest first. Throws
 * `unavailable` when too many feeds of this user, or of all, wait.
 */
export function listOwnFeed(db: Db, userId: string, page: Page): Promise<ListedMessageRow[]> {
  return takeTurn(userId, async () => {
    const houseIds = await listHouseIds(db, userId)
    if (houseIds.length === 0) return []
    const read = (stretch: IdRange, limit: number) => readFeed(db, { userId, houseIds, stretch, limit })
    const { limit, before = greatestId, after, around } = page
    if (after !== undefined) return read({ after }, limit)
    if (around === undefined) return read({ before }, limit)
    const end = around === greatestId ? around : nextId(around)
    const older = await read({ before: end }, Math.ceil(limit / 2))
    return [...(await read({ after: around }, Math.floor(limit / 2))), ...older]
  })
}

type Feed = { userId: string; houseIds: readonly string[]; stretch: IdRange; limit: number }

/** Each batch is so many times the one before, so that few are read where few messages are shown. */
const batchGrowth = 4

/**
 * The messages of a stretch that the user may see, newest first. They are read by house, in batches, and only the rooms
 * that a batch comes from are looked up: there may be tens of thousands.
 */
async function readFeed(db: Db, { userId, houseIds, stretch, limit }: Feed): Promise<ListedMessageRow[]> {
  const isForward = 'after' in stretch
  const found: ListedMessageRow[] = []
  const canReadIn = new Map<string, boolean>()
  let rest = stretch
  for (let count = limit; found.length < limit; count = Math.min(count * batchGrowth, maxPlaces)) {
    const except_rooms = [...canReadIn.keys()].filter((roomId) => !canReadIn.get(roomId))
    const places = await listPlaces(db, { house_ids: houseIds, except_rooms, stretch: rest, count })
    await lookUpRooms(db, userId, places, canReadIn)
    const shown = places.filter((place) => canReadIn.get(place.room_id))
    const messages = await listHeard(db, userId, shown)
    found.push(...(isForward ? messages.reverse() : messages))
    const last = places.at(-1)
    if (!last || places.length < count) break
    rest = isForward ? { after: last.id } : { before: last.id }
  }
  return found.slice(0, limit).sort(newestFirst)
}

type MessagePlace = { room_id: string; id: string }

/** Adds whether a user can read the rooms of these places, of those that are not known yet. */
async function lookUpRooms(
  db: Db,
  userId: string,
  places: readonly MessagePlace[],
  canReadIn: Map<string, boolean>,
): Promise<void> {
  const unknown = new Set(places.map((place) => place.room_id).filter((roomId) => !canReadIn.has(roomId)))
  await Promise.all(
    Array.from(unknown, async (room_id) => {
      canReadIn.set(room_id, canRead(await findRoomAccess(db, { room_id, user_id: userId })))
    }),
  )
}

/** The messages at these places by people whom the user has not blocked or restricted, newest first. */
async function listHeard(
  db: Db,
  userId: string,
  places: readonly MessagePlace[],
): Promise<ListedMessageRow[]> {
  const roomIds = places.map((place) => place.room_id)
  const ids = places.map((place) => place.id)
  const messages = await listMessages(db, roomIds, ids)
  const silenced = await listMutedRooms(db, userId, [...new Set(messages.map((each) => each.author_id))])
  return messages.filter((each) => !silenced.has(each.author_id))
}
