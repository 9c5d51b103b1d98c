import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { openDatabase } from './db/client.ts'
import { EmbeddedPostgresError, startPostgres } from './db/embedded.ts'
import { UnreachableError } from './db/embedded-account.ts'
import { migrateToLatest } from './db/migrate.ts'
import { claimNodeNumber } from './db/node-number.ts'
import { createBus } from './events/bus.ts'
import { openFolderStore } from './storage/store.ts'

/** What is left of the 10 s after SIGTERM once the database has its share. */
const closeTimeoutMs = 8_000

type Running = { app: FastifyInstance; stop(): Promise<void> }

async function start(config: Config): Promise<Running> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const each of stops.reverse()) await each()
  }
  try {
    const postgres =
      config.databaseUrl === undefined ? await startPostgres(join(config.dataDir, 'postgres')) : undefined
    if (postgres) stops.push(() => postgres.stop())
    const databaseUrl = config.databaseUrl ?? postgres!.url
    const db = openDatabase(databaseUrl)
    stops.push(() => db.destroy())
    await migrateToLatest(db)
    stops.push(await claimNodeNumber(databaseUrl))
    const store = openFolderStore(join(config.dataDir, 'files'))
    const app = await buildApp({ config, db, store, bus: createBus() })
    stops.push(() => app.close())
    await app.listen({ host: config.host, port: config.port })
    return { app, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Tells the operator where everything is. */
function announce(app: FastifyInstance, config: Config): void {
  const address = app.listeningOrigin
  const database =
    config.databaseUrl === undefined ? `${config.dataDir} (database and files)` : `${config.dataDir} (files)`
  process.stdout.write(
    `Hearth answers at   ${address}\nData lies in        ${database}\nDocs page           ${address}/docs\n`,
  )
}

function stopOnSignals({ app, stop }: Running): void {
  let stopping = false
  const leave = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), closeTimeoutMs).unref()
    stop().then(
      () => process.exit(0),
      (error) => {
        app.log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', leave)
  process.on('SIGINT', leave)
}

try {
  const config = readConfig(process.env)
  const running = await start(config)
  stopOnSignals(running)
  announce(running.app, config)
} catch (error) {
  const known = [ConfigError, EmbeddedPostgresError, UnreachableError].some((type) => error instanceof type)
  process.stderr.write(`${known ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
  process.exitCode = 1
}
