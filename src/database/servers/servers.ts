import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseUnavailable, isDatabaseRefusal } from '../availability/unavailable.ts'
import { TimedClient } from '../pool/timed-client.ts'
import { type DatabaseHosts, type Host, readDatabaseHosts } from './database-url.ts'
import { findUnfit, readServerState, type ServerState } from './server-state.ts'

/** The servers of an address, of which one is used at a time. */
export type Servers = {
  /** An address of `pg` for the first of them: what it says of account, database and TLS is true of all. */
  readonly firstUrl: string
  readonly names: readonly string[]
  /** The name of the one that is used; undefined while none is. */
  readonly used: string | undefined
  /** How often another one took its place so far. */
  readonly moves: number
  /** The server that is used; asks all of them where none is. Throws `DatabaseUnavailable`, or why all refuse the login. */
  choose(): Promise<Host>
  /** Notes a connection to a server that says this of itself. Throws `DatabaseUnavailable` where it must not be used. */
  admit(client: TimedClient, server: Host, state: ServerState): void
  /** The next connection asks all servers again. */
  forget(): void
  /** Called with the name of each server that takes the place of another one. */
  onMove(listener: (name: string) => void): void
}

/** How often the servers that are not used are asked whether one of them was promoted. */
const watchEveryMs = 1_000

const serversByUrl = new Map<string, Servers>()

/** The servers of an address, the same for all that connect to it; undefined for an address that `pg` is given as it is. */
export function serversOf(databaseUrl: string | undefined): Servers | undefined {
  if (databaseUrl === undefined) return undefined
  const known = serversByUrl.get(databaseUrl)
  if (known) return known
  const found = readDatabaseHosts(databaseUrl)
  if (!found) return undefined
  const servers = openServers(found)
  serversByUrl.set(databaseUrl, servers)
  return servers
}

type Answer = { server: Host; state: ServerState }
type Failure = { server: Host; error: Error }

function openServers({ hosts, target, connectWithinMs }: DatabaseHosts): Servers {
  const clients = new Map<TimedClient, Host>()
  const listeners: ((name: string) => void)[] = []
  let current: Host | undefined
  let former: Host | undefined
  let search: Promise<Host> | undefined
  let isWatching = false
  let moves = 0
  /** A promotion begins a new timeline: a server on an earlier one is a primary of the past, and is never used again. */
  let timeline = 0

  /** Why a server must not be used; undefined where it may be. */
  function refuse(state: ServerState): string | undefined {
    const isPast = state.timeline !== null && state.timeline < timeline
    if (isPast) return `was replaced: it is on timeline ${state.timeline}, another server on ${timeline}`
    return findUnfit(state, target)
  }

  /** Uses a server from now on. No connection to another one remains, above all none with a node number. */
  function use(server: Host): void {
    current = server
    for (const [client, to] of clients) {
      if (to !== server) client.destroy(new DatabaseUnavailable('the database has moved to another server'))
    }
    if (former && former !== server) {
      moves += 1
      for (const listener of listeners) listener(server.name)
    }
    former = server
  }

  /**
   * Asks all servers at once. Of several that are fit, as an old primary that came back beside the new one may be for
   * somebody who knows neither, the one with the latest timeline is taken. One that was promoted is taken at once.
   */
  async function find(): Promise<Host> {
    const asking = hosts.map(ask)
    const all = Promise.all(asking)
    const promoted = Promise.any(asking.map(requirePromoted)).catch(() => all)
    const outcomes: (Answer | Failure)[] = await Promise.race([all, promoted])
    const failures = outcomes.filter((outcome) => 'error' in outcome)
    const answers = outcomes.filter((outcome) => 'state' in outcome)
    timeline = Math.max(timeline, ...answers.map(({ state }) => state.timeline ?? 0))
    const fit = answers.filter(({ state }) => refuse(state) === undefined)
    const [best] = target === 'prefer-standby' ? fit.toSorted(standbysFirst) : fit
    if (best) return best.server
    const [first] = failures
    if (
      first &&
      failures.length === hosts.length &&
      failures.every(({ error }) => isDatabaseRefusal(error))
    ) {
      throw first.error
    }
    const reasons = outcomes.map((outcome) => `${outcome.server.name} ${reasonOf(outcome)}`)
    throw new DatabaseUnavailable(`no server can be used: ${reasons.join(', ')}`)
  }

  /** Passes on the answer of a server that is fit and on a later timeline than all before; throws for any other. */
  async function requirePromoted(asking: Promise<Answer | Failure>): Promise<Answer[]> {
    const outcome = await asking
    const isLater = 'state' in outcome && timeline > 0 && (outcome.state.timeline ?? 0) > timeline
    if (!isLater || refuse(outcome.state) !== undefined) throw new Error('not promoted')
    return [outcome]
  }

  /**
   * Looks for a promotion while there are connections: a primary that was frozen, and goes on, may have been replaced
   * although no connection to it has broken.
   */
  async function watch(): Promise<void> {
    isWatching = true
    while (clients.size > 0) {
      await pause(watchEveryMs, undefined, { ref: false })
      if (!current) continue
      const others = await Promise.all(hosts.filter((host) => host !== current).map(ask))
      if (!others.some((other) => 'state' in other && (other.state.timeline ?? 0) > timeline)) continue
      current = undefined
      await choose().catch(() => {})
    }
    isWatching = false
  }

  async function choose(): Promise<Host> {
    if (current) return current
    search ??= find().finally(() => {
      search = undefined
    })
    const server = await search
    use(server)
    return server
  }

  async function ask(server: Host): Promise<Answer | Failure> {
    const client = new TimedClient({
      connectionString: server.url,
      application_name: 'hearth monitor',
      connectWithinMs,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return { server, state: await client.within(connectWithinMs, readServerState(client)) }
    } catch (error) {
      return { server, error: error as Error }
    } finally {
      client.destroy()
    }
  }

  function reasonOf(outcome: Answer | Failure): string {
    return 'error' in outcome ? `failed (${outcome.error.message})` : (refuse(outcome.state) ?? 'may be used')
  }

  return {
    firstUrl: hosts[0]!.url,
    names: hosts.map(({ name }) => name),
    get used() {
      return current?.name
    },
    get moves() {
      return moves
    },
    choose,
    admit(client, server, state) {
      const reason = refuse(state)
      if (reason !== undefined) throw new DatabaseUnavailable(`${server.name} ${reason}`)
      timeline = Math.max(timeline, state.timeline ?? 0)
      if (current && current !== server)
        throw new DatabaseUnavailable('the database has moved to another server')
      clients.set(client, server)
      client.once('end', () => clients.delete(client))
      if (!isWatching && hosts.length > 1) void watch()
    },
    forget() {
      current = undefined
    },
    onMove(listener) {
      listeners.push(listener)
    },
  }
}

function standbysFirst(one: Answer, other: Answer): number {
  return Number(other.state.inRecovery) - Number(one.state.inRecovery)
}

/** Whether a failure to connect says that another server may be the one to use: not so if it is only busy. */
export function mayHaveMoved(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError && error.code?.startsWith('53'))
}
