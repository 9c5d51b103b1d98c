import cluster from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { startPostgres } from '../database/embedded/embedded.ts'
import { announcementOf } from './announcement.ts'
import { describeFailure } from './failures.ts'
import { requireFreePort } from './listening.ts'
import type { RunningDatabase, Stop } from './server-process.ts'
import { sayStep } from './steps.ts'
import { forkWorkers } from './workers.ts'

/** The environment variable that tells a worker the folder of the embedded database. */
const folderOfPrimary = 'HEARTH_DATABASE_FOLDER'

/** A stop that hangs exits with 1 after this time, so that it takes less than 10 s from SIGTERM. */
const stopTimeoutMs = 9_000

/**
 * Runs the server until SIGTERM, SIGINT or SIGHUP (terminal closed). Writes to stderr why a start failed, and
 * exits with 1.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  // A broken stdout (closed terminal, full disk) must not crash the process.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
  if (cluster.isPrimary) sayStep('Hearth starts …')
  const stops: Stop[] = []
  const stopping = new AbortController()
  async function stop(): Promise<void> {
    for (const each of stops.splice(0).reverse()) await each()
  }
  const starting = (async () => {
    const config = readConfig(environment)
    if (cluster.isPrimary) await requireFreePort(config)
    const share = config.workers > 1 && cluster.isPrimary
    const origin = await (share ? startWorkers : start)(config, stops, stopping.signal)
    if (!stopping.signal.aborted) announce(origin, config)
  })()

  function stopOnce(): void {
    if (stopping.signal.aborted) return
    stopping.abort()
    setTimeout(() => process.exit(1), stopTimeoutMs).unref()
    starting.then(stop, stop).then(() => process.exit(0), failToStop)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stopOnce)

  try {
    await starting
  } catch (error) {
    if (stopping.signal.aborted) return
    process.stderr.write(`${describeFailure(error)}\n`)
    await stop()
    process.exit(1)
  }
}

function failToStop(error: unknown): void {
  process.stderr.write(`Hearth could not stop cleanly: ${(error as Error).stack}\n`)
  process.exit(1)
}

/** Starts this process as one that serves, and the database if none is named. Returns the address it listens on. */
async function start(config: Config, stops: Stop[], stopping: AbortSignal): Promise<string> {
  // What fails here fails again below.
  const preload = () => void loadProcess().catch(() => {})
  const database =
    config.databaseUrl === undefined
      ? await startEmbedded(config, stops, preload)
      : { url: config.databaseUrl, folder: process.env[folderOfPrimary] }
  const { startProcess } = await loadProcess()
  return startProcess(config, database, stops, stopping)
}

/** Loads most modules. Called while the embedded PostgreSQL starts; earlier it would delay its launch. */
function loadProcess() {
  return import('./server-process.ts')
}

/** Starts the database and the workers that share the port. Returns the address they listen on. */
async function startWorkers(config: Config, stops: Stop[], stopping: AbortSignal): Promise<string> {
  const { databaseUrl } = config
  const database =
    databaseUrl === undefined ? await startEmbedded(config, stops) : { url: databaseUrl, folder: undefined }
  stopping.throwIfAborted()
  const folder: Record<string, string> =
    database.folder === undefined ? {} : { [folderOfPrimary]: database.folder }
  const workers = forkWorkers(config.workers, { DATABASE_URL: database.url, ...folder })
  stops.push(() => workers.stop())
  // A stop does not wait until one listens.
  const stopped = once(stopping, 'abort').then((): never => {
    throw stopping.reason
  })
  return Promise.race([workers.address, stopped])
}

async function startEmbedded(config: Config, stops: Stop[], onLaunch?: () => void): Promise<RunningDatabase> {
  const folder = join(config.dataDir, 'postgres')
  sayStep(`Starting PostgreSQL in ${folder} …`)
  const { url, stop } = await startPostgres(folder, [], onLaunch)
  stops.push(() => stop())
  return { url, folder }
}

/** Writes where the server answers; a worker sends its address to the primary. */
function announce(address: string, config: Config): void {
  // `process.send` alone says little: others who start processes (pm2) give them one, too.
  if (cluster.isWorker) {
    process.send!({ address })
    return
  }
  process.stdout.write(announcementOf(address, config, process.stdout.isTTY))
}
