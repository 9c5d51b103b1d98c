import { repeat } from '../../concurrency/repeat.ts'
import type { Db } from '../../database/client.ts'
import type { Bus } from '../../events/bus.ts'
import { commit, type Outcome } from '../../events/commit.ts'
import { firstIdAt, unknownId } from '../../ids.ts'
import { eraseFiles } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { deleteWithEvents } from './operations.ts'
import { listRoomIdsAfter, lockOutdated } from './retention-queries.ts'

const roomsAtOnce = 500
const messagesAtOnce = 200
/** A sweep pauses for so many times as long as a step has taken: it takes a fifth of a connection's time at most. */
const pauseFactor = 4
const minPauseMs = 100
const pauseAfterFailureMs = 5_000
const roundEveryMs = 300_000

/** What a step has done: the files that are now to be erased, and behind which room the next one goes on. */
type Swept = { files: string[]; count: number; next: string | null }

/** Deletes the next messages of the rooms behind `after` that are older than `maxAgeMs`, 200 at most. */
export async function deleteOutdated(db: Db, maxAgeMs: number, after: string): Promise<Outcome<Swept>> {
  const rooms = await listRoomIdsAfter(db, after, roomsAtOnce)
  const last = rooms.at(-1)
  if (last === undefined) return { answer: { files: [], count: 0, next: null }, events: [] }
  const before = firstIdAt(Date.now() - maxAgeMs)
  return commit(db, async (trx) => {
    const outdated = await lockOutdated(trx, rooms, before, messagesAtOnce)
    const { files, events } = await deleteWithEvents(trx, outdated)
    // A full step may have left some in the same rooms.
    const next = outdated.length < messagesAtOnce ? last : after
    return { answer: { files, count: outdated.length, next }, events }
  })
}

/** Deletes messages as they become older than `maxAgeMs`, room by room. Returns how to stop. */
export function startRetention(
  db: Db,
  store: Store,
  bus: Bus,
  maxAgeMs: number,
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
