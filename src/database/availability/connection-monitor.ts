import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterPendingIo } from '../../concurrency/stall-tolerant-timeout.ts'
import type { PooledClient, RunningStatement } from '../pool/pooled-client.ts'
import { serversOf } from '../servers/servers.ts'
import { findBackendActivity } from './backend-activity.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const checkEveryMs = 250
/** Counted in checks, not in time: after a stall of this process, an answer may have arrived but not been read. */
const overdueAfterChecks = 3
const recheckAfterChecks = 4
/** A statement that PostgreSQL has not ended by then, as its `statement_timeout` demands, is closed here. */
const maxChecks = 140
/** A commit that was found waiting for storage during so many checks is stuck: the storage does not write. */
const stuckAfterChecks = 8

/** Monitors the connections of a pool, so that no request waits for a database that does not answer. */
export type ConnectionMonitor = {
  /** Whether the database failed to answer, and has not answered since. */
  isUnavailable(): boolean
  /** Counts the database as unavailable; from then on it is asked until it answers. */
  markUnavailable(): void
  stop(): void
}

/**
 * Monitors connections without a timer for each statement: a check every quarter of a second finds the statements that
 * were already running at the check before. For those that take long, PostgreSQL is queried over a new connection:
 * - If it is executing the statement, the statement may continue.
 * - If it knows nothing of the statement, the connection is closed.
 * - If it does not answer, or if a commit has waited two seconds for nothing but storage (or a synchronous replica),
 *   the database counts as unavailable, and all connections that wait for it are closed.
 */
export function monitorConnections(pool: pg.Pool, databaseUrl: string): ConnectionMonitor {
  const clients = new Set<PooledClient>()
  let isUnavailable = false
  let isChecking = false
  let isStopped = false
  let stuckPids: number[] = []
  const timer = setInterval(() => afterPendingIo(check), checkEveryMs).unref()
  pool.on('connect', (client) => {
    clients.add(asPooled(client))
    // A connection that breaks may be the first sign that there is no database any more.
    client.on('error', (error) => {
      if (!isUnavailable && !(error instanceof DatabaseUnavailable)) void checkActivity([])
    })
  })
  pool.on('remove', (client) => clients.delete(asPooled(client)))

  function check(): void {
    const overdue: Overdue[] = []
    let isCheckDue = false
    let hasLost = false
    for (const client of clients) {
      const statement = client.running
      if (!statement) continue
      statement.checks += 1
      if (statement.checks < overdueAfterChecks) continue
      hasLost ||= statement.isLost
      if (isUnavailable || statement.isLost || statement.checks >= maxChecks) closeClient(client)
      else overdue.push({ client, statement })
      if ((statement.checks - overdueAfterChecks) % recheckAfterChecks === 0) isCheckDue = true
    }
    if (hasLost) closeIdle()
    if (overdue.length > 0 && isCheckDue) void checkActivity(overdue)
  }

  async function checkActivity(overdue: readonly Overdue[]): Promise<void> {
    if (isChecking) return
    isChecking = true
    try {
      const activity = await findBackendActivity(
        databaseUrl,
        overdue.map(({ client }) => client.processID),
      )
      if (!activity) return
      stuckPids = []
      for (const { client, statement } of overdue) {
        if (client.running !== statement || client.processID === null) continue
        // Its answer may be on its way: it is closed only at the next check.
        statement.isLost = !activity.working.has(client.processID)
        const isWaiting = activity.committing.has(client.processID)
        statement.waitsSince = isWaiting ? (statement.waitsSince ?? statement.checks) : null
        if (isStuck(statement)) stuckPids.push(client.processID)
      }
      if (stuckPids.length > 0) markUnavailable()
    } catch {
      stuckPids = []
      markUnavailable()
    } finally {
      isChecking = false
    }
  }

  function markUnavailable(): void {
    if (isUnavailable || isStopped) return
    isUnavailable = true
    closeIdle()
    for (const client of clients) if ((client.running?.checks ?? 0) >= overdueAfterChecks) closeClient(client)
    void waitUntilAvailable()
  }

  /** Idle connections may be broken as well: without this, the next use of each would fail. */
  function closeIdle(): void {
    for (const client of clients) if (!client.running) closeClient(client)
  }

  async function waitUntilAvailable(): Promise<void> {
    while (isUnavailable && !isStopped) {
      await pause(checkEveryMs, undefined, { ref: false })
      // A server whose commits are stuck answers, but a standby of it may have taken its place.
      serversOf(databaseUrl)?.forget()
      // PostgreSQL goes on with a stuck commit although its client has gone: once that is done, others can commit, too.
      isUnavailable = await findBackendActivity(databaseUrl, stuckPids).then(
        (activity) => (activity?.committing.size ?? 0) > 0,
        () => true,
      )
    }
  }

  return {
    isUnavailable: () => isUnavailable,
    markUnavailable,
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

type Overdue = { client: PooledClient; statement: RunningStatement }

/** All clients of our pools are of this class. */
export function asPooled(client: pg.PoolClient): PooledClient & pg.PoolClient {
  return client as unknown as PooledClient & pg.PoolClient
}

function isStuck({ checks, waitsSince }: RunningStatement): boolean {
  return waitsSince !== null && checks - waitsSince >= stuckAfterChecks
}

function closeClient(client: PooledClient): void {
  client.destroy(new DatabaseUnavailable('the database did not answer'))
}
