import { setTimeout as pause } from 'node:timers/promises'
import { buildApp } from '../app.ts'
import { type Config, ConfigError } from '../config.ts'
import { openDatabase, openDatabaseWithoutTimeouts } from '../database/client.ts'
import { migrateToLatest } from '../database/migrations/migrate.ts'
import { dropUpgradeTriggers } from '../database/migrations/upgrade-triggers.ts'
import { claimNodeNumber, RelayConflict, resumeIdsAfterNewest } from '../database/node-number.ts'
import { serversOf } from '../database/servers/servers.ts'
import { spaceReader } from '../database/space/free-space.ts'
import { type SpaceState, watchSpace } from '../database/space/watch-space.ts'
import { reasonOf } from '../errors.ts'
import { openBus } from '../events/bus.ts'
import type { HearthEvent } from '../events/events.ts'
import { openRelay } from '../events/open.ts'
import { createPresenceTracker } from '../gateway/presence/presence-tracker.ts'
import { closeGracefully, stopListening } from '../http/server/shutdown.ts'
import { startErasing } from '../storage/eraser.ts'
import { makeStoreFolder, openStore } from '../storage/open.ts'
import { watchClock } from './clock.ts'
import { addressOf, failToListen } from './listening.ts'
import { returnIdleMemory } from './memory.ts'
import { sayStep } from './steps.ts'
import { stopListeningOnRequest } from './workers.ts'

/** The most time for closing connections, and for erasing, which may not end if the database is unavailable. */
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

const spaceMessages: Record<SpaceState, string> = {
  unknown: 'the free space of the database is not known',
  enough: 'the database has enough space again',
  low: 'the disk of the database is nearly full',
  full: 'the disk of the database is full: writes are refused',
}

/** How to stop a part of the server. */
export type Stop = () => Promise<unknown>

/** `folder`: that of the cluster of an embedded database, else undefined. */
export type RunningDatabase = { url: string; folder: string | undefined }

/**
 * Starts all that a process needs to serve, on a database that runs, and adds to `stops` how to stop each part: the
 * last one first. Returns the address it listens on. Once `stopping` aborts, no further step that takes long is begun, and
 * it throws.
 */
export async function startProcess(
  config: Config,
  { url: databaseUrl, folder }: RunningDatabase,
  stops: Stop[],
  stopping: AbortSignal,
): Promise<string> {
  stopping.throwIfAborted()
  const dbWithoutTimeouts = openDatabaseWithoutTimeouts(databaseUrl)
  stops.push(() => withTimeout(dbWithoutTimeouts.destroy()))
  sayStep('Bringing the database up to date …')
  await migrateToLatest(dbWithoutTimeouts)
  await dropUpgradeTriggers(dbWithoutTimeouts)
  stopping.throwIfAborted()
  const db = openDatabase(databaseUrl)
  stops.push(() => withTimeout(db.destroy()))
  const { redisUrl } = config
  const relaying = redisUrl === undefined ? 'postgres' : 'redis'
  const node = await claimNodeNumber(databaseUrl, { relaying }).catch(failToJoin)
  stops.push(() => withTimeout(node.release()))
  await resumeIdsAfterNewest(db)
  await orConfigError('STORAGE_URL, or DATA_DIR,', makeStoreFolder(config.storageUrl))
  const store = await openStore(config.storageUrl, config.storageReserve)
  const relaySetting = redisUrl === undefined ? 'DATABASE_URL' : 'REDIS_URL'
  const relay = await orConfigError(relaySetting, openRelay(db, node, redisUrl))
  const bus = await openBus(db, node, relay)
  stops.push(() => withTimeout(bus.close()))
  stopping.throwIfAborted()
  const presences = createPresenceTracker(db, bus, (err) =>
    app.log.warn({ err }, 'a presence could not be written'),
  )
  stops.push(() => withTimeout(presences.stop()))
  const watch = await watchSpace(spaceReader(db, config, folder))
  stops.push(() => withTimeout(watch.stop()))
  const app = await buildApp({ config, db, store, bus, presences, databaseSpace: watch.space })
  watch.listen({
    changed: (space) => app.log.warn(space, spaceMessages[space.state]),
    failed: (err) => app.log.warn({ err }, 'the free space of the database cannot be read'),
  })
  serversOf(databaseUrl)?.onMove((server) =>
    app.log.warn({ server }, 'the database is on another server now'),
  )
  relay.onOutage?.({
    began: (err) =>
      app.log.warn({ err }, 'Redis is unavailable: events reach other processes a second later'),
    ended: () => app.log.warn('Redis is available again'),
  })
  stops.push(
    watchClock({
      began: (aheadMs) =>
        app.log.warn(
          { aheadSeconds: Math.round(aheadMs / 1_000) },
          'the clock was ahead once: until it has come as far again, messages have a later time',
        ),
      ended: () => app.log.warn('messages have the time of the clock again'),
    }),
  )
  const eraser = startErasing(dbWithoutTimeouts, store, (error) =>
    app.log.warn({ err: error }, 'discarded files could not be erased'),
  )
  stops.push(() => withTimeout(eraser.stop()))
  bus.subscribe(({ type }) => {
    if (mayDiscardFiles.has(type)) eraser.wake()
  })
  stopping.throwIfAborted()
  stops.push(() => closeGracefully(app))
  await app.listen({ host: await addressOf(config.host), port: config.port }).catch(failToListen)
  stopListeningOnRequest(() => stopListening(app))
  returnIdleMemory()
  return app.listeningOrigin
}

/** Awaits work that depends on a setting. A failure becomes a `ConfigError` that names the setting. */
async function orConfigError<Result>(setting: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new ConfigError(`${setting} cannot be used: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
}

function failToJoin(error: unknown): never {
  if (!(error instanceof RelayConflict)) throw error
  throw new ConfigError(
    'REDIS_URL must be set for all processes of a database, or for none: another process runs that differs. Stop it first.',
  )
}

async function withTimeout(done: Promise<unknown>): Promise<void> {
  await Promise.race([done, pause(closeTimeoutMs)])
}
