import { repeat } from '../../concurrency/repeat.ts'
import type { Db } from '../../database/client.ts'
import type { Bus } from '../../events/bus.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { firstIdAt, unknownId } from '../../ids.ts'
import { eraseFiles } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { deleteWithEvents } from './operations.ts'
import { listHouseRoomsAfter, listRoomsAfter, lockOutdated, type OutdatedRoom } from './retention-queries.ts'

const roomsAtOnce = 500
/** Of up to as many rooms each (docs/api.md#counts-and-sizes). */
const housesAtOnce = 20
const messagesAtOnce = 200
/** A sweep pauses for so many times as long as a step has taken: it takes a fifth of a connection's time at most. */
const pauseFactor = 4
const minPauseMs = 100
const pauseAfterFailureMs = 5_000
const roundEveryMs = 300_000

/** Some rooms, and the place behind which the next ones are: null where there are none. */
type RoomPage = { rooms: OutdatedRoom[]; last: string | null }

/** What a step has done: the files that are now to be erased, and where the next one goes on. */
type Swept = { files: string[]; count: number; next: string | null }

/**
 * Deletes the next messages that are too old, 200 at most: older than `maxAgeMs`, or than what their house has set.
 * `after` is where the step before has ended: a room, or a house where `maxAgeMs` is undefined, as most rooms then
 * have no limit.
 */
export async function deleteOutdated(
  db: Db,
  maxAgeMs: number | undefined,
  after: string,
): Promise<Outcome<Swept>> {
  const { rooms, last } = await (maxAgeMs === undefined
    ? listOfHouses(db, after)
    : listAll(db, maxAgeMs, after))
  if (rooms.length === 0) return { answer: { files: [], count: 0, next: last }, events: [] }
  return commit(db, async (trx) => {
    const outdated = await lockOutdated(trx, rooms, messagesAtOnce)
    const { files, events } = await deleteWithEvents(trx, outdated)
    // A full step may have left some in the same rooms.
    const next = outdated.length < messagesAtOnce ? last : after
    return { answer: { files, count: outdated.length, next }, events }
  })
}

/** The rooms of any kind behind a room; the shorter of both ages holds. */
async function listAll(db: Db, maxAgeMs: number, after: string): Promise<RoomPage> {
  const rows = await listRoomsAfter(db, after, roomsAtOnce)
  const rooms = rows.map(({ id, max_age }) => {
    return { id, before: firstIdOfAge(max_age === null ? maxAgeMs : Math.min(maxAgeMs, max_age * 1_000)) }
  })
  return { rooms, last: rows.at(-1)?.id ?? null }
}

/** The rooms of the houses behind a house that have set an age. */
async function listOfHouses(db: Db, after: string): Promise<RoomPage> {
  const rows = await listHouseRoomsAfter(db, after, housesAtOnce)
  const rooms = rows.flatMap(({ id, max_age }) => {
    return id === null ? [] : [{ id, before: firstIdOfAge(max_age * 1_000) }]
  })
  return { rooms, last: rows.at(-1)?.house_id ?? null }
}

/** The smallest id that a message can have which is not older. */
function firstIdOfAge(ageMs: number): string {
  return firstIdAt(Date.now() - ageMs)
}

/**
 * Deletes messages as they become older than `maxAgeMs`, or than what their house has set, room by room. Returns how to
 * stop.
 */
export function startRetention(
  db: Db,
  store: Store,
  bus: Bus,
  maxAgeMs: number | undefined,
  report: (error: unknown) => void,
): () => Promise<void> {
  let after = unknownId

  async function run(): Promise<number> {
    const begin = performance.now()
    const { answer, events } = await deleteOutdated(db, maxAgeMs, after)
    await bus.deliver(events)
    await eraseFiles(db, store, answer.files)
    after = answer.next ?? unknownId
    if (answer.next === null) return roundEveryMs
    return Math.max(minPauseMs, pauseFactor * (performance.now() - begin))
  }

  return repeat({ run, pauseAfterFailureMs, report })
}
