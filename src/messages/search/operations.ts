import type { TurnTaker } from '../../auth/queries.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../database/client.ts'
import { requireHouse } from '../../houses/access-operations.ts'
import { unknownId } from '../../ids.ts'
import { requireRoomAccess } from '../../rooms/access-operations.ts'
import { canRead } from '../../rooms/permissions.ts'
import { type ListedMessageRow, listMessages } from '../read/page-queries.ts'
import { applyFilters, type SearchPlace } from './filter-operations.ts'
import { listRoomAccessInHouse, type MessageKey, type Search } from './queries.ts'
import { rankedMessages, rankMessages } from './rank-operations.ts'
import { parseSearch } from './term-operations.ts'
import { findMessages } from './walk-operations.ts'
import { findWords } from './word-operations.ts'

/** `q` in the syntax of docs/api.md#search; if given, only messages by `author_id`, and with ids below `before`. */
type Wanted = { q: string; author_id?: string; before?: string; limit: number; order: 'newest' | 'best' }

/** A page of a search; `next`: the rest is before this id; undefined: there is none. */
type SearchPage = { rows: ListedMessageRow[]; next: string | undefined }

/** Two searches at a time, of different users, leave the other database connections to other requests. */
const queueSearch = createFairQueue({ atOnce: 2, waiting: 64 })

/**
 * The matching messages of a room, newest first. Throws `room_not_found`, and `unavailable` if too many searches of this
 * user, or of all users, wait.
 */
export async function searchRoom(
  db: Db,
  caller: TurnTaker,
  roomId: string,
  wanted: Wanted,
): Promise<SearchPage> {
  const { house_id } = await requireRoomAccess(db, roomId, caller.id)
  return searchRooms(db, caller, { caller_id: caller.id, house_id, room_ids: [roomId] }, wanted)
}

/**
 * The matching messages of all rooms of a house that the user can read, newest first. Throws `house_not_found`, and
 * `unavailable` as `searchRoom`.
 */
export async function searchHouse(
  db: Db,
  caller: TurnTaker,
  houseId: string,
  wanted: Wanted,
): Promise<SearchPage> {
  await requireHouse(db, { house_id: houseId, user_id: caller.id })
  const rooms = (await listRoomAccessInHouse(db, caller.id, houseId)).filter(canRead)
  const room_ids = rooms.map((room) => room.room_id)
  return searchRooms(db, caller, { caller_id: caller.id, house_id: houseId, room_ids }, wanted)
}

function searchRooms(
  db: Db,
  { owner_id }: TurnTaker,
  place: SearchPlace,
  wanted: Wanted,
): Promise<SearchPage> {
  return queueSearch(owner_id, async () => {
    const search = await readSearch(db, place, wanted)
    if (!search) return { rows: [], next: undefined }
    const { messages, next } = await findMessages(db, search)
    if (wanted.order === 'newest') return { rows: await listKeys(db, messages), next }
    const best = (await rankMessages(db, messages, search)).slice(0, wanted.limit)
    const rows = new Map((await listKeys(db, best)).map((row) => [row.id, row]))
    return { rows: best.flatMap(({ id }) => rows.get(id) ?? []), next }
  })
}

function listKeys(db: Db, messages: readonly MessageKey[]): Promise<ListedMessageRow[]> {
  const [roomIds, ids] = [messages.map(({ room_id }) => room_id), messages.map(({ id }) => id)]
  return listMessages(db, roomIds, ids)
}

/** What a text asks for; undefined if it asks for nothing: it has signs only. */
async function readSearch(db: Db, place: SearchPlace, wanted: Wanted): Promise<Search | undefined> {
  const { terms, filters } = parseSearch(wanted.q)
  const words = await findWords(db, terms)
  if (filters.length === 0 && words.required.length === 0 && words.excluded.length === 0) return undefined
  return {
    scope_id: place.house_id ?? place.room_ids[0] ?? unknownId,
    ...words,
    ...(await applyFilters(db, place, filters, wanted)),
    limit: wanted.order === 'best' ? rankedMessages : wanted.limit,
  }
}
