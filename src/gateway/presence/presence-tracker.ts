import { setTimeout as pause } from 'node:timers/promises'
import { shareRuns } from '../../concurrency/shared-run.ts'
import { isDatabaseUnavailable } from '../../database/availability/unavailable.ts'
import type { Db } from '../../database/client.ts'
import type { Bus } from '../../events/bus.ts'
import { setPresence } from '../../events/presence.ts'
import { countPresences } from '../../events/presence-queries.ts'
import { changePresences, claimPresences } from './presence-operations.ts'

/**
 * Writes who is online at this process: from the first connection that logs in until a while after the last one has
 * closed. Users of a process that has ended count as if they had just left this one.
 */
export type PresenceTracker = {
  arrive(userId: string): void
  leave(userId: string, offlineAfterMs: number): void
  /** Sets a user offline, whatever connections they have. */
  forget(userId: string): void
  /** Stops writing. The rows stay for other processes, or the next one, to take over. */
  stop(): Promise<void>
}

/** How often the rows are compared with the connections, and those of processes that have ended are claimed. */
const compareEveryMs = 2_500
const retryMs = 1_000
/** The most presences that one transaction changes, as it runs under a lock. */
const maxBatchSize = 100
/** For users who were claimed. */
const offlineAfterMs = 5_000

/** Starts to track. `report` gets the errors of writes that fail although the database is available. */
export function createPresenceTracker(
  db: Db,
  bus: Bus,
  report: (error: unknown) => void = () => {},
): PresenceTracker {
  const connectionCounts = new Map<string, number>()
  const leaving = new Map<string, NodeJS.Timeout>()
  /** Those whose row is to be written or deleted. */
  const changed = new Set<string>()
  let batchSize = maxBatchSize
  let isStopped = false
  let mustCompare = true
  const write = shareRuns(async () => {
    while (changed.size > 0 && !isStopped) await writeBatch()
    if (mustCompare) await compare().catch(() => {})
  })
  const comparing = setInterval(() => {
    mustCompare = true
    void write()
  }, compareEveryMs).unref()
  void write()

  function isHere(userId: string): boolean {
    return connectionCounts.has(userId) || leaving.has(userId)
  }

  function change(userId: string): void {
    changed.add(userId)
    void write()
  }

  async function writeBatch(): Promise<void> {
    const batch = [...changed].slice(0, batchSize)
    for (const id of batch) changed.delete(id)
    try {
      const { number } = bus.node
      if (number === null) throw new Error('the process has no node number')
      const { online = [], offline = [] } = Object.groupBy(batch, (id) => (isHere(id) ? 'online' : 'offline'))
      const { events } = await changePresences(db, number, { online, offline })
      void bus.deliver(events)
      batchSize = maxBatchSize
    } catch (error) {
      // One that cannot be written must not keep the others from being written.
      batchSize = Math.ceil(batchSize / 2)
      for (const id of batch) changed.add(id)
      if (!isDatabaseUnavailable(error) && bus.node.number !== null) report(error)
      await pause(retryMs, undefined, { ref: false })
    }
  }

  function leaveAfter(userId: string, afterMs: number): void {
    const leave = () => {
      leaving.delete(userId)
      change(userId)
    }
    leaving.set(userId, setTimeout(leave, afterMs).unref())
  }

  /**
   * Rows are missing or left over when the node number or an answer was lost, or a process or the database has crashed.
   */
  async function compare(): Promise<void> {
    const { number } = bus.node
    if (number === null || isStopped) return
    mustCompare = false
    const { own, hasEnded } = await countPresences(db, number)
    if (!hasEnded && own === connectionCounts.size + leaving.size) return
    const claimed = new Set(await claimPresences(db, number))
    if (isStopped) return
    for (const id of claimed) if (!isHere(id)) leaveAfter(id, offlineAfterMs)
    for (const id of [...connectionCounts.keys(), ...leaving.keys()]) if (!claimed.has(id)) change(id)
  }

  return {
    arrive(userId) {
      const isNew = !isHere(userId)
      clearTimeout(leaving.get(userId))
      leaving.delete(userId)
      connectionCounts.set(userId, (connectionCounts.get(userId) ?? 0) + 1)
      if (!isNew) return
      // INIT_STATE shows users to themselves as online before that is written.
      setPresence(userId, 'online')
      change(userId)
    },
    leave(userId, afterMs) {
      const count = connectionCounts.get(userId)
      if (count === undefined) return
      if (count > 1) connectionCounts.set(userId, count - 1)
      else connectionCounts.delete(userId)
      if (count === 1) leaveAfter(userId, afterMs)
    },
    forget(userId) {
      if (!isHere(userId)) return
      clearTimeout(leaving.get(userId))
      leaving.delete(userId)
      connectionCounts.delete(userId)
      change(userId)
    },
    async stop() {
      isStopped = true
      clearInterval(comparing)
      for (const timer of leaving.values()) clearTimeout(timer)
      await write()
    },
  }
}
