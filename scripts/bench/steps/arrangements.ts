import { join } from 'node:path'
import { run as runCommand } from '../../../src/cli/run.ts'
import { startPostgres } from '../../../src/database/embedded/embedded.ts'
import { listServers } from '../../../test/support/citus-template.ts'
import { startReplicatedPostgres } from '../../../test/support/replicated-postgres.ts'
import { type Server, startServer } from '../../../test/support/server.ts'
import { findProgram } from '../../cluster/programs.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { startOwnCitus } from '../../own-citus.ts'
import { findPostmaster, migrate, onDatabase, prepareDatabase } from '../databases.ts'
import { processorMs, processorMsOfTree } from '../processes.ts'
import { seed, smallSize } from '../seed.ts'

/** A way to run Hearth. */
export type Arrangement = {
  name: string
  /** Where the requests go. */
  origin: string
  /** The processor time so far, in ms, of the Hearth that answers. */
  answeringMs(): Promise<number>
  /** The same of all that stands behind it: databases, Redis, other Hearths. */
  behindMs(): Promise<number>
}

/** Arrangements that are compared with the first of them. */
export type Group = { title: string; arrangements: Arrangement[] }

/** How to stop each part of the arrangements, in the order in which they were started. */
export type Stops = (() => Promise<unknown>)[]

// Limits that are counted and never reached.
const counted = {
  RATE_LIMIT: 'on',
  RATE_LIMIT_REQUESTS: '999999/s burst 999999',
  RATE_LIMIT_MESSAGES: '999999/s burst 999999',
  RATE_LIMIT_ADDRESS: '999999/s burst 999999',
  RATE_LIMIT_ADDRESS_USERS: '999999/s burst 999999',
}

/** Several Hearths, and a standby: each on a database of its own, with the same content. */
export async function openSteps(folder: string, stops: Stops): Promise<Group> {
  const hearth = hearthIn(folder, stops)
  const postgres = await startPostgres(join(folder, 'postgres'))
  stops.push(() => postgres.stop())
  const filled = await prepareDatabase(postgres.adminUrl, smallSize)
  const postmaster = await findPostmaster(filled)
  const copies: string[] = []
  for (const name of ['steps_redis', 'steps_two']) {
    const address = new URL(filled)
    await onDatabase(postgres.adminUrl, `create database ${name} template ${address.pathname.slice(1)}`)
    address.pathname = name
    copies.push(address.href)
  }
  const [forRedis, forTwo] = copies as [string, string]
  const databaseMs = () => processorMsOfTree(postmaster)
  const arrangements = [arrange('one Hearth', await hearth(filled), databaseMs)]

  const program = await findProgram('valkey-server', 'redis-server')
  if (program !== undefined) {
    const redis = await startValkey(program, folder)
    stops.push(() => redis.kill())
    const behind = async () => (await databaseMs()) + (await processorMs(redis.pid()))
    arrangements.push(
      arrange('… with Redis', await hearth(forRedis, { REDIS_URL: `${redis.url}/1` }), behind),
    )
    const settings = { REDIS_URL: `${redis.url}/2` }
    const [asked, other] = [await hearth(forTwo, settings), await hearth(forTwo, settings)]
    arrangements.push(
      arrange('… and a second Hearth', asked, async () => {
        return (await behind()) + (await processorMs(other.child.pid!))
      }),
    )
  }

  const replicated = await startReplicatedPostgres(folder)
  stops.push(() => replicated.stop())
  const primary = await prepareDatabase(replicated.servers[0].url, smallSize)
  const masters = await Promise.all(replicated.servers.map(({ url }) => findPostmaster(url)))
  arrangements.push(
    arrange('one Hearth, a synchronous standby', await hearth(primary), () =>
      sum(masters.map(processorMsOfTree)),
    ),
  )
  return { title: 'Several Hearths, and a standby', arrangements }
}

/** A message store on Citus beside a plain database of its coordinator; undefined where no command starts a Citus. */
export async function openCitus(folder: string, stops: Stops): Promise<Group | undefined> {
  const command = process.env.CITUS
  if (command === undefined) return undefined
  const hearth = hearthIn(folder, stops)
  const citus = await startOwnCitus(command, { CITUS_FSYNC: 'on' })
  stops.push(() => citus.stop())
  const plain = await prepareDatabase(citus.url, smallSize)
  await migrate(citus.url)
  await seed(citus.url, smallSize)
  const written: string[] = []
  const code = await runCommand(['distribute'], {
    environment: { DATABASE_URL: citus.url, DATA_DIR: folder },
    print: () => {},
    printError: (line) => written.push(line),
  })
  if (code !== 0) throw new Error(written.join('\n'))
  const masters = await Promise.all((await listServers(citus.url)).map(findPostmaster))
  return {
    title: 'Messages on Citus',
    arrangements: [
      arrange('a plain database of the coordinator', await hearth(plain), () =>
        processorMsOfTree(masters[0]!),
      ),
      arrange('the coordinator and two workers', await hearth(citus.url), () =>
        sum(masters.map(processorMsOfTree)),
      ),
    ],
  }
}

function hearthIn(folder: string, stops: Stops) {
  return async (databaseUrl: string, settings: Record<string, string> = {}): Promise<Server> => {
    const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', ...counted, ...settings }
    const server = await startServer(join(folder, 'data'), { environment })
    server.child.stderr!.pipe(process.stderr)
    stops.push(() => server.end())
    return server
  }
}

function arrange(name: string, server: Server, behindMs: () => Promise<number>): Arrangement {
  return { name, origin: server.origin, answeringMs: () => processorMs(server.child.pid!), behindMs }
}

async function sum(values: Promise<number>[]): Promise<number> {
  return (await Promise.all(values)).reduce((total, each) => total + each, 0)
}
