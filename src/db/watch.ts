import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseAway } from './away.ts'
import type { PreparingClient } from './preparing-client.ts'
import { cutOff } from './pulse.ts'

const lookEveryMs = 250
/** Looks, not time: when this process itself stood still, the answer may lie there unread. */
const overdueAfterLooks = 2
const askAgainAfterLooks = 4
/** What PostgreSQL has not ended by then, with its own limit (`statement_timeout`), is cut off here. */
const longestLooks = 140
const askTimeoutMs = 1_500

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

/** What was seen of a connection: the statement on its way, for how many looks it has been, and whether PostgreSQL knows of it. */
type Seen = { sent: number; looks: number; isLost: boolean }

/**
 * Watches without a timer per statement: every quarter of a second it looks which statement is still the one of the last
 * look. Of one that takes long it asks PostgreSQL, over a new connection. Does PostgreSQL work on it, it may go on. Does
 * it know nothing of it, its connection is cut off. Does it not answer, then all that wait are, and it counts as away.
 */
export function watch(databaseUrl: string): Watch {
  const clients = new Map<PreparingClient, Seen>()
  let away = false
  let asking = false
  let stopped = false
  const timer = setInterval(look, lookEveryMs).unref()

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
      const working = await askForWork(databaseUrl, overdue)
      if (!working) return
      for (const { client, sent } of statements) {
        const seen = clients.get(client)
        // Its answer may be on its way: it is cut off at the next look.
        if (seen && seen.sent === sent && client.pid !== null) seen.isLost = !working.has(client.pid)
      }
    } catch {
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
      away = await askForWork(databaseUrl, []).then(
        () => false,
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
  return { sent, looks: 0, isLost: false }
}

function cut(client: PreparingClient): void {
  client.cut(new DatabaseAway('the database did not answer'))
}

/**
 * The processes of these connections that have a statement to work on; undefined where PostgreSQL is there but cannot be
 * asked: all connections are taken, or a pooler stands in between and gives each process another name. Throws when it
 * does not answer.
 */
async function askForWork(
  databaseUrl: string,
  clients: readonly PreparingClient[],
): Promise<Set<number> | undefined> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'hearth watch',
    connectionTimeoutMillis: askTimeoutMs,
  })
  client.on('error', () => {})
  const late = setTimeout(() => cutOff(client), askTimeoutMs).unref()
  try {
    await client.connect()
    const { rows } = await client.query<{ self: number; working: number[] }>(
      `select pg_backend_pid() self, array(select pid from pg_stat_activity
         where pid = any($1::int[]) and (state is null or state not like 'idle%')) working`,
      [clients.map(({ pid }) => pid)],
    )
    const { self, working } = rows[0]!
    return self === (client as unknown as { processID: number }).processID ? new Set(working) : undefined
  } catch (error) {
    if (error instanceof pg.DatabaseError && !/^(57P0|08)/.test(error.code ?? '')) return undefined
    throw error
  } finally {
    clearTimeout(late)
    cutOff(client)
  }
}
