import { sql } from 'kysely'
import type pg from 'pg'
import { NodeNumbersTaken } from '../errors.ts'
import { assignNodeNumber, makeIdsAfter } from '../ids.ts'
import type { Db } from './client.ts'
import { openProcessConnection } from './process-connection.ts'

/** Namespace of the advisory locks that stand for node numbers ('HRTH'). */
const lockSpace = 0x48525448
const nodeNumbers = 1024

/** How the processes of a database notify each other: by its notifications, or Redis. */
export type RelayKind = 'postgres' | 'redis'
/** Namespaces of the locks of processes that serve ('HRSP', 'HRSR'): a command has a node number only. */
const servingSpaces: Record<RelayKind, number> = { postgres: 0x48525350, redis: 0x48525352 }

/** The node number of a process. When the connection that has its lock breaks, a number is claimed again. */
export type Node = {
  /** Null while the process has none. */
  readonly number: number | null
  /** Receives what is sent on a channel of the database. What is sent while the connection is broken is lost. */
  listen(channel: string, receive: (text: string) => void): Promise<void>
  release(): Promise<void>
}

export type Claim = {
  /** Called with the number, and with null when it is lost; by default it becomes part of new ids. */
  assign?: (number: number | null) => void
  /** The relay of a process that serves; undefined for a command. */
  relaying?: RelayKind
}

/** The processes of a database use different relays. */
export class RelayConflict extends Error {}

/** Whether any process has a node number in this database: a server that runs, or a command that makes ids. */
export async function isInUse(db: Db): Promise<boolean> {
  return (await listLocked(db, [lockSpace])).length > 0
}

/**
 * Takes all node numbers until the transaction ends, unless a process has one: none can start meanwhile. Returns whether
 * it did.
 */
export async function excludeProcesses(trx: Db): Promise<boolean> {
  if (await isInUse(trx)) return false
  const { rows } = await sql<{ is_free: boolean }>`
    select bool_and(pg_try_advisory_xact_lock(${lockSpace}, n)) as is_free
    from generate_series(0, ${nodeNumbers - 1}) n`.execute(trx)
  return rows[0]!.is_free
}

/** The node numbers of the processes that serve. */
export function listServing(db: Db): Promise<number[]> {
  return listLocked(db, Object.values(servingSpaces))
}

/** The numbers of the locks of these namespaces that processes have in this database. */
async function listLocked(db: Db, spaces: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select objid::integer as number from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'advisory' and classid = any(${spaces}::oid[])
      and objsubid = 2 and granted`.execute(db)
  return rows.map((row) => row.number)
}

/** The greatest id that there is, or undefined. */
export async function findNewestId(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`
    select greatest((select max(id) from users), (select max(id) from sessions), (select max(id) from houses),
      (select max(id) from roles), (select max(id) from entities), (select max(id) from rooms),
      (select max(id) from audit_log), (select max(id) from server_audit_log),
      (select max(last_message_id) from room_heads)) as id`.execute(db)
  return rows[0]?.id ?? undefined
}

/** Makes new ids greater than every existing one, even if the clock has stepped back since that one was made. */
export async function resumeIdsAfterNewest(db: Db): Promise<void> {
  const greatest = await findNewestId(db)
  if (greatest !== undefined) makeIdsAfter(greatest)
}

/**
 * Claims a node number for this process: the first of 1,024 advisory locks that no process has. Throws `NodeNumbersTaken`
 * when there is none, and `RelayConflict` when a process that serves uses another relay.
 */
export async function claimNodeNumber(
  databaseUrl: string,
  { assign = assignNodeNumber, relaying }: Claim = {},
): Promise<Node> {
  const receivers = new Map<string, (text: string) => void>()
  let number: number | null = null
  let former: number | undefined
  let hasServed = false

  const connection = await openProcessConnection(databaseUrl, {
    async onConnect(client) {
      const claimed = await lockNumber(client, former)
      if (relaying) {
        const hasConflict = await lockServing(client, claimed, relaying)
        // A process that has served before continues: it misses no events, but receives them later.
        if (hasConflict && !hasServed) throw new RelayConflict()
      }
      client.on('notification', ({ channel, payload = '' }) => receivers.get(channel)?.(payload))
      for (const channel of receivers.keys()) await client.query(`listen ${channel}`)
      number = claimed
      former = claimed
      hasServed = true
      assign(number)
    },
    onLoss() {
      number = null
      assign(null)
    },
  })

  return {
    get number() {
      return number
    },
    async listen(channel, receive) {
      receivers.set(channel, receive)
      await connection.client.query(`listen ${channel}`)
    },
    release: connection.close,
  }
}

/**
 * Locks the former number of the process, or else the first free one. Where a standby has become the primary, it has
 * none of the locks, and a process may not know yet that it has lost its own: the others leave that number alone.
 */
async function lockNumber(client: pg.Client, former: number | undefined): Promise<number> {
  if (former !== undefined && (await tryLock(client, former))) return former
  const { rows } = await client.query<{ n: number }>(
    `select n from generate_series(0, ${nodeNumbers - 1}) n where pg_try_advisory_lock(${lockSpace}, n) limit 1`,
  )
  if (!rows[0]) throw new NodeNumbersTaken(nodeNumbers)
  return rows[0].n
}

async function tryLock(client: pg.Client, number: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${lockSpace}, ${number}) as locked`,
  )
  return rows[0]!.locked
}

/** Marks the process as one that serves. Returns whether another one uses another relay. */
async function lockServing(client: pg.Client, number: number, relaying: RelayKind): Promise<boolean> {
  await client.query(`select pg_advisory_lock(${servingSpaces[relaying]}, ${number})`)
  const other = servingSpaces[relaying === 'redis' ? 'postgres' : 'redis']
  const { rows } = await client.query(
    `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'advisory' and classid = ${other} limit 1`,
  )
  return rows.length > 0
}
