import { setTimeout as pause } from 'node:timers/promises'
import { onceRead } from '../deadline.ts'
import { DatabaseAway } from './away.ts'
import { findBackendActivity } from './backend-activity.ts'
import type { PreparingClient } from './preparing-client.ts'

const checkEveryMs = 250
/** Counted in checks, not in time: if this process itself stood still, the answer may be there but not read yet. */
const overdueAfterChecks = 2
const askAgainAfterChecks = 4
/** A statement that PostgreSQL has not ended by then, as its `statement_timeout` demands, is cut off here. */
const maxChecks = 140
/** A commit that was found waiting for storage during so many checks is stuck: the storage does not write. */
const stuckAfterChecks = 8

/** Looks after the connections of a pool, so that nobody waits for a database that does not answer. */
export type Watch = {
  add(client: PreparingClient): void
  /** A connection has broken: asks at once whether there is still a database. */
  suspect(error: Error): void
  remove(client: PreparingClient): void
  /** Whether the database failed to answer, and has not answered since. */
  isAway(): boolean
  /** Counts the database as away; from then on it is asked until it answers. */
  declareAway(): void
  stop(): void
}

/**
 * What is known of a connection: the statement it is running (by the count of those sent), during how many checks it
 * has been running, whether PostgreSQL knows nothing of it, and at which check its commit was first found waiting (null
 * when it was not, the last time PostgreSQL was asked).
 */
type Observation = { sent: number; checks: number; isLost: boolean; waitsSince: number | null }

/**
 * Watches connections without a timer for each statement: a check every quarter of a second finds the statements that
 * were already running at the check before. About those that take long, PostgreSQL is asked over a new connection:
 * - If it is working on the statement, that may go on.
 * - If it knows nothing of the statement, the connection is cut off.
 * - If it does not answer, or if a commit has waited two seconds for nothing but storage (or a synchronous replica),
 *   the database counts as away, and all connections that wait for it are cut off.
 */
export function watch(databaseUrl: string): Watch {
  const observations = new Map<PreparingClient, Observation>()
  let away = false
  let asking = false
  let stopped = false
  let stuckPids: number[] = []
  const timer = setInterval(() => onceRead(check), checkEveryMs).unref()

  function check(): void {
    const overdue: PreparingClient[] = []
    let isDueToAsk = false
    let isOneLost = false
    for (const [client, observation] of observations) {
      if (!client.isBusy || client.sent !== observation.sent) {
        observations.set(client, newObservation(client))
        continue
      }
      observation.checks += 1
      if (observation.checks < overdueAfterChecks) continue
      isOneLost ||= observation.isLost
      if (away || observation.isLost || observation.checks >= maxChecks) cut(client)
      else overdue.push(client)
      if ((observation.checks - overdueAfterChecks) % askAgainAfterChecks === 0) isDueToAsk = true
    }
    if (isOneLost) cutIdle()
    if (overdue.length > 0 && isDueToAsk) void askAbout(overdue)
  }

  async function askAbout(overdue: readonly PreparingClient[]): Promise<void> {
    if (asking) return
    asking = true
    const statements = overdue.map((client) => ({ client, sent: client.sent }))
    try {
      const pids = overdue.map((client) => client.pid)
      const activity = await findBackendActivity(databaseUrl, pids)
      if (!activity) return
      stuckPids = []
      for (const { client, sent } of statements) {
        const observation = observations.get(client)
        if (!observation || observation.sent !== sent || client.pid === null) continue
        // Its answer may be on its way: it is cut off only at the next check.
        observation.isLost = !activity.working.has(client.pid)
        const isWaiting = activity.committing.has(client.pid)
        observation.waitsSince = isWaiting ? (observation.waitsSince ?? observation.checks) : null
        if (isStuck(observation)) stuckPids.push(client.pid)
      }
      if (stuckPids.length > 0) declareAway()
    } catch {
      stuckPids = []
      declareAway()
    } finally {
      asking = false
    }
  }

  function declareAway(): void {
    if (away || stopped) return
    away = true
    cutIdle()
    for (const [client, { checks }] of observations) if (checks >= overdueAfterChecks) cut(client)
    void awaitReturn()
  }

  /** Idle connections may be dead as well: without this, whoever uses one next would have to find out. */
  function cutIdle(): void {
    for (const client of observations.keys()) if (!client.isBusy) cut(client)
  }

  async function awaitReturn(): Promise<void> {
    while (away && !stopped) {
      await pause(checkEveryMs, undefined, { ref: false })
      // PostgreSQL goes on with a stuck commit although its client has gone: once that is done, others can commit, too.
      away = await findBackendActivity(databaseUrl, stuckPids).then(
        (activity) => (activity?.committing.size ?? 0) > 0,
        () => true,
      )
    }
  }

  return {
    add: (client) => void observations.set(client, newObservation(client)),
    suspect(error) {
      if (!away && !(error instanceof DatabaseAway)) void askAbout([])
    },
    remove: (client) => void observations.delete(client),
    isAway: () => away,
    declareAway,
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}

function newObservation({ sent }: PreparingClient): Observation {
  return { sent, checks: 0, isLost: false, waitsSince: null }
}

function isStuck({ checks, waitsSince }: Observation): boolean {
  return waitsSince !== null && checks - waitsSince >= stuckAfterChecks
}

function cut(client: PreparingClient): void {
  client.cut(new DatabaseAway('the database did not answer'))
}
