import type { Db } from '../db/client.ts'
import type { HearthEvent } from '../events/events.ts'
import type { Store } from '../storage/store.ts'
import { forgetDiscarded } from './attachment-queries.ts'
import { deleteMessages, lockExploded } from './queries.ts'

const explodedAtOnce = 500
/** Events go out within 1 s of the end of a message (PROTOCOL 4.11). */
const sweepEveryMs = 400

/** Erases messages whose time is over, with their files; gives what happened. Several processes may do so at once. */
export async function eraseExploded(db: Db, store: Store): Promise<HearthEvent[]> {
  const { exploded, files } = await db.transaction().execute(async (trx) => {
    const rows = await lockExploded(trx, explodedAtOnce)
    return { exploded: rows, files: rows.length > 0 ? await deleteMessages(trx, rows) : [] }
  })
  // The files are noted as ones to forget: those that the store does not let go of now are tried again later.
  const removals = await Promise.allSettled(files.map((file) => store.remove(file)))
  const removed = files.filter((_file, index) => removals[index]!.status === 'fulfilled')
  if (removed.length > 0) await forgetDiscarded(db, removed)
  return exploded.map(({ room_id, house_id, id: message_id }) => {
    return { type: 'message_deleted', room_id, house_id, message_id }
  })
}

/**
 * Erases exploded messages from now on, at first those whose time came while no process ran. Gives how to stop, which
 * waits for a sweep on its way. Of sweeps that fail one after the other only the first is reported.
 */
export function startErasing(
  db: Db,
  store: Store,
  publish: (events: HearthEvent[]) => Promise<void>,
  report: (error: unknown) => void,
): () => Promise<void> {
  let isStopped = false
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let sweep = run()

  async function run(): Promise<void> {
    try {
      const events = await eraseExploded(db, store)
      await publish(events)
      isFailing = false
      if (!isStopped) timer = setTimeout(again, events.length === explodedAtOnce ? 0 : sweepEveryMs)
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
      if (!isStopped) timer = setTimeout(again, sweepEveryMs)
    }
    timer?.unref()
  }

  function again(): void {
    sweep = run()
  }

  return async () => {
    isStopped = true
    clearTimeout(timer)
    await sweep
  }
}
