import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import {
  type Account,
  choosePostgresAccount,
  EmbeddedPostgresError,
  findBinaries,
  runAs,
} from './embedded-account.ts'
import {
  type Cluster,
  findFreePort,
  findPostmaster,
  invalidateStaleLockFile,
  isAlive,
  lastLogLines,
  localUrlOf,
  openCluster,
  openOrCreateCluster,
  ownerUrlOf,
  type Postmaster,
  probePostgres,
  socketFolderOf,
  urlOf,
  wrongPassword,
} from './embedded-cluster.ts'
import { makeFolder } from './folders.ts'
import { keepLogShort, openLog } from './log-file.ts'
import { giveToOwner, ownerPassword } from './owner.ts'
import { walSettings } from './wal-size.ts'

/** A PostgreSQL server that this process started, or took over from one that was killed. */
type EmbeddedPostgres = {
  /** `postgres://` address with the password: a socket in the folder where its path is short enough, else loopback. */
  url: string
  /** The same for the superuser: for tests and measurements, which create databases of their own. */
  adminUrl: string
  /** Stops the server and waits until its process is gone. */
  stop(): Promise<void>
}

const database = 'hearth'
/** Advisory lock of the Hearth process that owns this cluster ('HOLD'). */
const ownershipLock = 0x484f4c44
/** How long the lock of a process that was just killed may remain. */
const lockTimeoutMs = 2_000
const logName = 'log'
const startTimeoutMs = 60_000
/** How long a failed start is retried: child processes of a killed server may still use its shared memory. */
const retryStartMs = 10_000
const pollMs = 20
const restartPauseMs = 200

/** What is needed to start PostgreSQL on a cluster. */
type Server = {
  cluster: Cluster
  account: Account
  program: string
  port: number
  settings: string[]
  onLaunch(): void
}

/**
 * Starts PostgreSQL with its data in `dir` (made when missing) on a free port of 127.0.0.1 and a socket, or takes over
 * the one that a killed process left running there. Restarts it when it ends. `settings` are further `name=value`
 * settings. `onLaunch` is called when a process was launched, before it answers. Throws `EmbeddedPostgresError` when it
 * cannot, or when another process owns the folder.
 */
export async function startPostgres(
  dir: string,
  settings: string[] = [],
  onLaunch: () => void = () => {},
): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries()
  await makeFolder(dir)
  const account = await choosePostgresAccount(dir, binaries)
  const cluster = await openOrCreateCluster(dir, account, binaries.initdb)

  const existing = await findPostmaster(cluster, startTimeoutMs)
  const port = existing?.port ?? (await findFreePort())
  const server = { cluster, account, program: binaries.postgres, port, settings, onLaunch }
  let running = existing ?? (await launchUntilReady(server))
  const admin = urlOf(cluster, running.port, 'postgres')
  let ownership = await acquireOwnership(admin, lockTimeoutMs)
  if (!ownership) {
    throw new EmbeddedPostgresError(
      `Another Hearth is running on ${dir}. Stop it first, or set DATA_DIR to another folder.`,
    )
  }
  await createDatabase(ownership.client)
  await giveToOwner(urlOf(cluster, running.port, database), ownerPassword(cluster.password))

  let stopping = false
  /** The connection with the lock ends when PostgreSQL does; then PostgreSQL is started again. */
  async function keepRunning(): Promise<void> {
    while (!stopping) {
      await ownership?.ended
      ownership = undefined
      if (stopping) return
      await pause(restartPauseMs)
      if (stopping) return
      // What cannot be launched now (its log cannot be written) is tried again.
      if (!isRunning(running)) running = await launch({ ...server, port: running.port }).catch(() => running)
      ownership = await acquireOwnership(admin, 0).catch(() => undefined)
    }
  }
  const kept = keepRunning()
  const stopKeepingLog = keepLogShort(join(cluster.dir, logName))
  const adminUrl = localUrlOf(cluster, running.port, database)

  return {
    url: ownerUrlOf(cluster, adminUrl),
    adminUrl,
    async stop() {
      stopping = true
      await stopKeepingLog()
      await ownership?.release()
      await kept
      await stopPostmaster(running)
    },
  }
}

/** The address of the server that runs on a folder under another process, or undefined: for the command line. */
export async function findRunningPostgres(dir: string): Promise<string | undefined> {
  const cluster = await openCluster(dir)
  const running = cluster && (await findPostmaster(cluster, startTimeoutMs))
  if (!running) return undefined
  // The running server may be of a version that did not give the database to the owner.
  await giveToOwner(urlOf(cluster, running.port, database), ownerPassword(cluster.password))
  return ownerUrlOf(cluster, localUrlOf(cluster, running.port, database))
}

/** A postmaster, with its process when this one started it. */
type Running = Postmaster & { child?: ChildProcess }

async function launch({ cluster, account, program, port, settings }: Server): Promise<Running> {
  await invalidateStaleLockFile(cluster)
  const log = await openLog(join(cluster.dir, logName))
  const sockets = `unix_socket_directories=${quoted(socketFolderOf(cluster))}`
  // Terse, as the details of an error quote rows: the e-mail address that is taken, say.
  const flags = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    sockets,
    'log_error_verbosity=terse',
    ...(await walSettings(cluster.dir)),
    ...settings,
  ]
  // In a process group of its own, so that Ctrl-C reaches only us, and we stop it in order.
  const child = runAs(account, program, ['-D', cluster.data, ...flags.flatMap((flag) => ['-c', flag])], {
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  })
  child.on('error', () => {})
  await log.close()
  return { pid: child.pid ?? 0, port, child }
}

/** Quotes a folder in a list setting of PostgreSQL, where a comma would separate two; '' stays ''. */
function quoted(folder: string): string {
  return folder === '' ? '' : `"${folder.replaceAll('"', '""')}"`
}

/** Launches it until it answers, each time on a new port, as another process may have taken the last one. */
async function launchUntilReady(server: Server): Promise<Running> {
  const deadline = Date.now() + retryStartMs
  for (let port = server.port; ; port = await findFreePort()) {
    const running = await launch({ ...server, port })
    server.onLaunch()
    if (await waitUntilReady(server.cluster, running)) return running
    if (Date.now() > deadline || isRunning(running)) {
      await stopPostmaster(running)
      const reason = await lastLogLines(server.cluster)
      throw new EmbeddedPostgresError(`PostgreSQL did not start in ${server.cluster.dir}: ${reason}`)
    }
    // Another process may have started it at the same moment.
    const other = await findPostmaster(server.cluster, startTimeoutMs)
    if (other) return other
    await pause(restartPauseMs)
  }
}

/** False when its process has ended, or does not answer in time. */
async function waitUntilReady(cluster: Cluster, running: Running): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs
  while (isRunning(running) && Date.now() < deadline) {
    const state = await probePostgres(urlOf(cluster, running.port, 'postgres'))
    if (state === 'ready') return true
    if (state === 'refuses') {
      await stopPostmaster(running)
      throw wrongPassword(cluster)
    }
    await pause(pollMs)
  }
  return false
}

/** A connection with the lock; `ended` settles when it has closed. */
type Ownership = { client: pg.Client; ended: Promise<unknown>; release(): Promise<void> }

/** Takes the lock for the lifetime of the process; undefined if another process has it. */
async function acquireOwnership(url: string, timeoutMs: number): Promise<Ownership | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'hearth in charge',
    keepAlive: true,
  })
  client.on('error', () => {})
  await client.connect()
  const ended = new Promise((resolve) => client.once('end', resolve))
  const deadline = Date.now() + timeoutMs
  do {
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(${ownershipLock}) locked`,
    )
    if (rows[0]?.locked) return { client, ended, release: () => client.end().catch(() => {}) }
    await pause(pollMs * 2)
  } while (Date.now() < deadline)
  await client.end()
  return undefined
}

async function createDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
  if (rowCount === 0) await client.query(`create database ${database}`)
}

function isRunning({ pid, child }: Running): boolean {
  if (child) return child.pid !== undefined && child.exitCode === null && child.signalCode === null
  return isAlive(pid)
}

async function stopPostmaster(running: Running): Promise<void> {
  if (isRunning(running)) process.kill(running.pid, 'SIGINT')
  while (isRunning(running)) await pause(pollMs)
}
