import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { onceRead, waitAtMost } from '../deadline.ts'
import { DatabaseAway } from './away.ts'
import type { PreparingClient } from './preparing-client.ts'
import { cutOff, TimedClient } from './timed-client.ts'

const lookEveryMs = 250
/** Looks, not time: when this process itself stood still, the answer may lie there unread. */
const overdueAfterLooks = 2
const askAgainAfterLooks = 4
/** What PostgreSQL has not ended by then, with its own limit (`statement_timeout`), is cut off here. */
const longestLooks = 140
const answerWithinMs = 1_500
/** A commit that waits for so many looks, at each of which PostgreSQL was asked, waits for storage that does not write. */
const hangingLooks = 8
/** What a backend waits for whose commit does not get on; since PostgreSQL 17 some are written otherwise. */
const commitWaits = ['walwrite', 'walsync', 'walinsert', 'walbufmapping', 'syncrep']

/** Looks after the connections of a pool, so that nobody waits for a database that does not answer. */
export type Watch = {
  add(client: PreparingClient): void
  /** A connection has broken: asks at once whether there is still a database. */
  suspect(error: Error): void
  remove(client: PreparingClient): void
  /** Whether the database was found not to answer, and has not answered since. */
  isAway(): boolean
  /** Says that it does not answer; from then on it is asked until it does. */
  declareAway(): void
  stop(): void
}

/**
 * What was seen of a connection: the statement on its way, for how many looks it has been, whether PostgreSQL knows of it,
 * and since which look each answer was that its commit waits; null when the last one was not.
 */
type Seen = { sent: number; looks: number; isLost: boolean; hangsSince: number | null }

/**
 * Watches without a timer per statement: every quarter of a second it looks which statement is still the one of the last
 * look. Of one that takes long it asks PostgreSQL, over a new connection. Does PostgreSQL work on it, it may go on. Does
 * it know nothing of it, its connection is cut off. Does it not answer, or does a commit wait for two seconds for nothing
 * but its storage (or its synchronous replica), then all that wait are, and it counts as away.
 */
export function watch(databaseUrl: string): Watch {
  const clients = new Map<PreparingClient, Seen>()
  let away = false
  let asking = false
  let stopped = false
  let hanging: number[] = []
  const timer = setInterval(() => onceRead(look), lookEveryMs).unref()

  function look(): void {
    const overdue: PreparingClient[] = []
    let isDueToAsk = false
    let isOneLost = false
    for (const [client, seen] of clients) {
      if (!client.isBusy || client.sent !== seen.sent) {
        clients.set(client, newlySeen(client))
        continue
      }
      seen.looks += 1
      if (seen.looks < overdueAfterLooks) continue
      isOneLost ||= seen.isLost
      if (away || seen.isLost || seen.looks >= longestLooks) cut(client)
      else overdue.push(client)
      if ((seen.looks - overdueAfterLooks) % askAgainAfterLooks === 0) isDueToAsk = true
    }
    if (isOneLost) cutIdle()
    if (overdue.length > 0 && isDueToAsk) void askAbout(overdue)
  }

  async function askAbout(overdue: readonly PreparingClient[]): Promise<void> {
    if (asking) return
    asking = true
    const statements = overdue.map((client) => ({ client, sent: client.sent }))
    try {
      const work = await askForWork(databaseUrl, overdue.map(pidOf))
      if (!work) return
      hanging = []
      for (const { client, sent } of statements) {
        const seen = clients.get(client)
        if (!seen || seen.sent !== sent || client.pid === null) continue
        // Its answer may be on its way: it is cut off at the next look.
        seen.isLost = !work.working.has(client.pid)
        seen.hangsSince = work.committing.has(client.pid) ? (seen.hangsSince ?? seen.looks) : null
        if (seen.hangsSince !== null && seen.looks - seen.hangsSince >= hangingLooks) hanging.push(client.pid)
      }
      if (hanging.length > 0) declareAway()
    } catch {
      hanging = []
      declareAway()
    } finally {
      asking = false
    }
  }

  function declareAway(): void {
    if (away || stopped) return
    away = true
    cutIdle()
    for (const [client, seen] of clients) if (seen.looks >= overdueAfterLooks) cut(client)
    void awaitReturn()
  }

  /** They may lead nowhere as well: who takes them later would have to find that out. */
  function cutIdle(): void {
    for (const client of clients.keys()) if (!client.isBusy) cut(client)
  }

  async function awaitReturn(): Promise<void> {
    while (away && !stopped) {
      await delay(lookEveryMs, undefined, { ref: false })
      // PostgreSQL does not notice that those who waited for a commit have gone: once it is done, others can commit.
      away = await askForWork(databaseUrl, hanging).then(
        (work) => (work?.committing.size ?? 0) > 0,
        () => true,
      )
    }
  }

  return {
    add: (client) => void clients.set(client, newlySeen(client)),
    suspect(error) {
      if (!away && !(error instanceof DatabaseAway)) void askAbout([])
    },
    remove: (client) => void clients.delete(client),
    isAway: () => away,
    declareAway,
    stop() {
      stopped = true
      clearInterval(timer)
    },
  }
}

function newlySeen({ sent }: PreparingClient): Seen {
  return { sent, looks: 0, isLost: false, hangsSince: null }
}

function pidOf({ pid }: PreparingClient): number | null {
  return pid
}

function cut(client: PreparingClient): void {
  client.cut(new DatabaseAway('the database did not answer'))
}

type Work = { working: Set<number>; committing: Set<number> }

/**
 * Which of these processes have a statement to work on, and which of them wait for its commit; undefined where PostgreSQL
 * is there but cannot be asked: all connections are taken, or a pooler stands in between and gives each process another
 * name. Throws when it does not answer.
 */
async function askForWork(databaseUrl: string, pids: (number | null)[]): Promise<Work | undefined> {
  const client = new TimedClient({ connectionString: databaseUrl, application_name: 'hearth watch' })
  client.on('error', () => {})
  const stopWaiting = waitAtMost(answerWithinMs, () => cutOff(client))
  try {
    await client.connect()
    const { rows } = await client.query<{ self: number; working: number[]; committing: number[] }>(
      `with busy as (select pid, lower(wait_event) as waits_for from pg_stat_activity
         where pid = any($1::int[]) and (state is null or state not like 'idle%'))
       select pg_backend_pid() self, array(select pid from busy) working,
         array(select pid from busy where waits_for = any($2)) committing`,
      [pids, commitWaits],
    )
    const { self, working, committing } = rows[0]!
    if (self !== (client as unknown as { processID: number }).processID) return undefined
    return { working: new Set(working), committing: new Set(committing) }
  } catch (error) {
    if (error instanceof pg.DatabaseError && !/^(57P0|08)/.test(error.code ?? '')) return undefined
    throw error
  } finally {
    stopWaiting()
    cutOff(client)
  }
}
