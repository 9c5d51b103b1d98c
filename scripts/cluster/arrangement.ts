import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Db, openDatabaseWithoutTimeouts } from '../../src/database/client.ts'
import { type ReplicatedServer, startReplicatedPostgres } from '../../test/support/replicated-postgres.ts'
import { freePort, type Server, startServer } from '../../test/support/server.ts'
import type { Program } from './program.ts'
import { findProgram } from './programs.ts'
import { startProxy } from './proxy.ts'
import { type FileStore, startFileStore } from './store.ts'
import { startValkey } from './valkey.ts'

const size = 3

/** The programs of an arrangement that no package of Node brings. */
export type Programs = { haproxy: string; valkey: string }

/** The parts of docker-compose.cluster.yml as processes of this machine. */
export type Arrangement = {
  origin: string
  db: Db
  proxy: Program
  valkey: Program
  store: FileStore
  /** By place; one that is replaced keeps its place and its port. */
  hearths: readonly Server[]
  postgres: { primary: ReplicatedServer; standby: ReplicatedServer }
  /** Ends a Hearth with a signal and starts another one in its place. Gives the exit code. */
  replace(place: number, signal: NodeJS.Signals): Promise<number | null>
  /** Kills the primary, and promotes the standby after a while. */
  failOver(waitMs: number): Promise<void>
  /** Makes a new standby out of the primary that was killed. */
  restoreStandby(): Promise<void>
  close(): Promise<void>
}

/** The programs, or a sentence about what is missing. */
export async function findPrograms(): Promise<Programs | string> {
  const haproxy = await findProgram('haproxy')
  const valkey = await findProgram('valkey-server', 'redis-server')
  if (!haproxy) return 'haproxy is not installed'
  if (!valkey) return 'neither valkey-server nor redis-server is installed'
  return { haproxy, valkey }
}

/** Starts everything in an empty folder. */
export async function startArrangement(folder: string, programs: Programs): Promise<Arrangement> {
  const closes: (() => Promise<unknown>)[] = []
  async function close(): Promise<void> {
    for (const each of closes.splice(0).reverse()) await each()
  }
  try {
    await mkdir(join(folder, 'postgres'))
    const database = await startReplicatedPostgres(join(folder, 'postgres'))
    closes.push(() => database.stop())
    let [primary, standby] = database.servers as [ReplicatedServer, ReplicatedServer]
    const store = await startFileStore()
    closes.push(() => store.close())
    const valkey = await startValkey(programs.valkey, folder)
    closes.push(() => valkey.kill())

    const ports: number[] = []
    while (ports.length < size) ports.push(await freePort())
    const start = (port: number) =>
      startServer(folder, {
        environment: {
          ...store.environment,
          DATABASE_URL: database.url,
          REDIS_URL: valkey.url,
          TRUST_PROXY: '1',
          LOG_LEVEL: 'warn',
          PORT: String(port),
        },
      })
    const hearths = [await start(ports[0]!)]
    closes.push(() => Promise.all(hearths.map((hearth) => hearth.end('SIGKILL'))))
    hearths.push(...(await Promise.all(ports.slice(1).map(start))))
    const proxy = await startProxy(programs.haproxy, folder, ports)
    closes.push(() => proxy.kill())
    const db = openDatabaseWithoutTimeouts(database.url)
    closes.push(() => db.destroy())
    return {
      origin: proxy.origin,
      db,
      proxy,
      valkey,
      store,
      hearths,
      get postgres() {
        return { primary, standby }
      },
      async replace(place, signal) {
        const code = await hearths[place]!.end(signal)
        hearths[place] = await start(ports[place]!)
        return code
      },
      async failOver(waitMs) {
        await primary.kill()
        await pause(waitMs)
        await standby.promote()
        ;[primary, standby] = [standby, primary]
      },
      restoreStandby: () => standby.follow(primary),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
