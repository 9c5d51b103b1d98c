import cluster from 'node:cluster'
import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { openDatabase, openUnhurriedDatabase } from './db/client.ts'
import { migrateToLatest } from './db/migrate.ts'
import { claimNodeNumber, continueIds } from './db/node-number.ts'
import { reasonOf } from './errors.ts'
import { createBus } from './events/bus.ts'
import type { HearthEvent } from './events/events.ts'
import { openRelay } from './events/open.ts'
import { closeGracefully, stopListening } from './http/shutdown.ts'
import { returnIdleMemory } from './memory.ts'
import { startErasing } from './storage/eraser.ts'
import { makeStoreFolder, openStore } from './storage/open.ts'
import { listenUntilAsked } from './workers.ts'

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

/** How to stop a part of the server. */
export type Stop = () => Promise<unknown>

/**
 * Starts all that a process needs to serve, on a database that runs, and adds to `stops` how to stop each part: the last
 * one first. Returns the address it listens on.
 */
export async function startProcess(config: Config, databaseUrl: string, stops: Stop[]): Promise<string> {
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
