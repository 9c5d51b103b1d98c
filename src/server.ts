import cluster from 'node:cluster'
import { lookup } from 'node:dns/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Config, ConfigError, readConfig } from './config.ts'
import { startPostgres } from './db/embedded.ts'
import { reasonOf } from './errors.ts'
import type { HearthEvent } from './events/events.ts'
import { describeFailure } from './failures.ts'
import { returnIdleMemory } from './memory.ts'
import { forkWorkers, listenUntilAsked } from './workers.ts'

/** A stop that hangs exits with 1 after this time, so that it takes less than 10 s from SIGTERM. */
const stopTimeoutMs = 9_000
/** The most time for closing connections, and for erasing: if the database is away, that may never end. */
const closeTimeoutMs = 1_000

/** The events after which there may be files to erase. */
const mayDiscardFiles = new Set<HearthEvent['type']>([
  'house_deleted',
  'house_updated',
  'member_left',
  'message_deleted',
  'private_room_left',
  'room_deleted',
  'user_updated',
])

type Stop = () => Promise<unknown>

/**
 * Runs the server until SIGTERM, SIGINT or SIGHUP (its terminal is gone). Writes to stderr why a start failed, and exits
 * with 1.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  // A terminal that is gone, or a full disk below the output, ends no server.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
  const stops: Stop[] = []
  let stopping = false
  async function stop(): Promise<void> {
    for (const each of stops.splice(0).reverse()) await each()
  }
  const starting = (async () => {
    const config = readConfig(environment)
    const share = config.workers > 1 && cluster.isPrimary
    const origin = share ? await startWorkers(config, stops) : await start(config, stops)
    if (!stopping) announce(origin, config)
  })()

  function leave(): void {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    starting.then(stop, stop).then(() => process.exit(0), failToStop)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, leave)

  try {
    await starting
  } catch (error) {
    if (stopping) return
    process.stderr.write(`${describeFailure(error)}\n`)
    await stop()
    process.exit(1)
  }
}

function failToStop(error: unknown): void {
  process.stderr.write(`Hearth could not stop cleanly: ${(error as Error).stack}\n`)
  process.exit(1)
}

/** Starts a server process, and adds to `stops` how to stop each part. Returns the address it listens on. */
async function start(config: Config, stops: Stop[]): Promise<string> {
  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config, stops, preloadModules))
  const {
    buildApp,
    claimNodeNumber,
    closeGracefully,
    continueIds,
    createBus,
    makeStoreFolder,
    migrateToLatest,
    openDatabase,
    openRelay,
    openStore,
    openUnhurriedDatabase,
    startErasing,
    stopListening,
  } = await loadModules()
  const unhurried = openUnhurriedDatabase(databaseUrl)
  stops.push(() => withTimeout(unhurried.destroy()))
  await migrateToLatest(unhurried)
  const db = openDatabase(databaseUrl)
  stops.push(() => withTimeout(db.destroy()))
  const releaseNumber = await claimNodeNumber(databaseUrl)
  stops.push(() => withTimeout(releaseNumber()))
  await continueIds(db)
  await needing('STORAGE_URL, or DATA_DIR,', makeStoreFolder(config.storageUrl))
  const store = await openStore(config.storageUrl)
  const { redisUrl } = config
  const way = redisUrl === undefined ? 'DATABASE_URL' : 'REDIS_URL'
  const relay = await needing(way, openRelay({ redisUrl, db, databaseUrl }))
  const bus = createBus(relay, { isOneOfMany: cluster.isWorker || redisUrl !== undefined })
  stops.push(() => withTimeout(bus.close()))
  const app = await buildApp({ config, db, store, bus })
  const eraser = startErasing(unhurried, store, (error) =>
    app.log.warn({ err: error }, 'discarded files stay'),
  )
  stops.push(() => withTimeout(eraser.stop()))
  bus.subscribe(({ type }) => {
    if (mayDiscardFiles.has(type)) eraser.wake()
  })
  stops.push(() => closeGracefully(app))
  await app.listen({ host: await addressOf(config.host), port: config.port }).catch(failToListen)
  listenUntilAsked(() => stopListening(app))
  returnIdleMemory()
  return app.listeningOrigin
}

/** Most modules are loaded while the embedded PostgreSQL starts; earlier, they would hold up its launch. */
async function loadModules() {
  const [app, client, shutdown, bus, relays, migrate, nodeNumber, eraser, storage] = await Promise.all([
    import('./app.ts'),
    import('./db/client.ts'),
    import('./http/shutdown.ts'),
    import('./events/bus.ts'),
    import('./events/open.ts'),
    import('./db/migrate.ts'),
    import('./db/node-number.ts'),
    import('./storage/eraser.ts'),
    import('./storage/open.ts'),
  ])
  return {
    ...app,
    ...client,
    ...shutdown,
    ...bus,
    ...relays,
    ...migrate,
    ...nodeNumber,
    ...eraser,
    ...storage,
  }
}

/** What fails here fails again where the modules are needed. */
function preloadModules(): void {
  loadModules().catch(() => {})
}

/** Starts the database and the workers that share the port. Returns the address they listen on. */
async function startWorkers(config: Config, stops: Stop[]): Promise<string> {
  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config, stops))
  const workers = forkWorkers(config.workers, { DATABASE_URL: databaseUrl })
  stops.push(() => workers.stop())
  return workers.address
}

async function startEmbedded(config: Config, stops: Stop[], onLaunch?: () => void): Promise<string> {
  const postgres = await startPostgres(join(config.dataDir, 'postgres'), [], onLaunch)
  stops.push(() => postgres.stop())
  return postgres.url
}

/** Waits for what a setting is needed for. Throws `ConfigError` with the name of the setting when that fails. */
async function needing<Result>(setting: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new ConfigError(`${setting} cannot be used: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
}

/** Fastify listens for `localhost` with a second server, whose connections neither limits nor a stop would know of. */
async function addressOf(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host, { order: 'ipv4first' })).address : host
}

function failToListen({ code, message }: NodeJS.ErrnoException): never {
  const isPort = code === 'EADDRINUSE' || code === 'EACCES'
  const advice = isPort ? 'Set PORT to a free one (0 takes any).' : 'Set HOST to an address of this machine.'
  throw new ConfigError(`HOST and PORT cannot be listened on: ${message}. ${advice}`)
}

async function withTimeout(done: Promise<unknown>): Promise<void> {
  await Promise.race([done, pause(closeTimeoutMs)])
}

/** Writes addresses and folders for the operator; a worker sends its address to the primary. */
function announce(address: string, config: Config): void {
  // `process.send` alone says little: others who start processes (pm2) give them one, too.
  if (cluster.isWorker) {
    process.send!({ address })
    return
  }
  const holds = config.databaseUrl === undefined ? 'database and files' : 'files'
  process.stdout.write(
    `Hearth answers at   ${address}\nData lies in        ${config.dataDir} (${holds})\nDocs page           ${address}/docs\n`,
  )
}
