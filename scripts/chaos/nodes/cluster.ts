import { freePort, type Server } from '../../../test/support/server.ts'
import type { Stage } from '../support/stage.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import type { Processes } from './rounds.ts'

/** When a process was not there, or stood still: its own connections may end then. */
type Absence = { port: number; fromMs: number; toMs: number }

/** Processes on one database, behind a load balancer. */
export type Cluster = Processes & {
  balancer: Balancer
  /** By place; a process that is replaced keeps its place and its port. */
  readonly servers: readonly Server[]
  /** Starts processes at all places that have none. */
  startAll(): Promise<void>
  /** Ends a process with a signal and starts another one in its place. Gives the exit code. */
  replace(place: number, signal: NodeJS.Signals): Promise<number | null>
  /** Stops a process, which the load balancer notices, while something is done, and lets it go on. */
  freeze(place: number, whileFrozen: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

/** Starts the first of `size` processes. */
export async function startCluster(
  stage: Stage,
  size: number,
  environment: Record<string, string>,
): Promise<Cluster> {
  const balancer = await openBalancer()
  const ports: number[] = []
  while (ports.length < size) ports.push(await freePort())
  const start = (port: number) => stage.startServer({ ...environment, LOG_LEVEL: 'warn', PORT: String(port) })
  const servers = [await start(ports[0]!)]
  let absences: Absence[] = []
  let logged = new Map<Server, number>()
  balancer.use(ports)

  function beAway(place: number): Absence {
    const absence = { port: ports[place]!, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY }
    absences.push(absence)
    return absence
  }

  return {
    origin: balancer.origin,
    balancer,
    servers,
    async startAll() {
      servers.push(...(await Promise.all(ports.slice(servers.length).map(start))))
    },
    async replace(place, signal) {
      const absence = beAway(place)
      const code = await servers[place]!.end(signal)
      servers[place] = await start(ports[place]!)
      absence.toMs = performance.now()
      return code
    },
    async freeze(place, whileFrozen) {
      // What a standstill ends it may end when it is over.
      beAway(place)
      servers[place]!.child.kill('SIGSTOP')
      balancer.use(ports.filter((_port, index) => index !== place))
      try {
        await whileFrozen()
      } finally {
        servers[place]!.child.kill('SIGCONT')
        balancer.use(ports)
      }
    },
    wasAway(port, atMs) {
      return absences.some((each) => each.port === port && atMs >= each.fromMs && atMs <= each.toMs)
    },
    beginRound() {
      absences = []
      logged = new Map(servers.map((server) => [server, server.output().length]))
    },
    log: () => servers.flatMap((server) => linesOf(server.output().slice(logged.get(server) ?? 0))),
    async close() {
      await balancer.close()
      await Promise.all(servers.map((server) => server.end('SIGKILL')))
    },
  }
}

/** The messages of a log, with the reasons of errors. */
export function linesOf(log: string): string[] {
  const lines = log.split('\n').filter((line) => line.startsWith('{"level"') && line.endsWith('}'))
  return lines.map((line) => {
    const { msg, err, event = '' } = JSON.parse(line)
    return `${msg}: ${event} ${err?.message ?? ''}`
  })
}
