import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, open, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Account, chooseAccount, findBinaries, runAs } from './embedded-account.ts'

/** A PostgreSQL that this process started, or took over from one that was killed. */
export type EmbeddedPostgres = {
  /** `postgres://` address with the password, on loopback. */
  url: string
  /** Stops the server and waits until its process is gone. */
  stop(): Promise<void>
}

/** The server could not be brought up; the message is for the operator. */
export class EmbeddedPostgresError extends Error {}

const superuser = 'hearth'
const database = 'hearth'
/** Advisory lock that says: a Hearth process is in charge of this cluster ('HOLD'). */
const chargeLock = 0x484f4c44
const startTimeoutMs = 60_000
const pollMs = 20
const restartPauseMs = 200

/**
 * Starts PostgreSQL with its data in `dir` (made when missing) on a free port of 127.0.0.1, or takes over the one that
 * a killed process left running there. Restarts it when it dies. `settings` are further `name=value` settings.
 * Throws `EmbeddedPostgresError` when it cannot, or when another process is in charge of the folder.
 */
export async function startPostgres(dir: string, settings: string[] = []): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries()
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const account = await chooseAccount(dir, binaries)
  const password = await readOrMakePassword(dir)
  const cluster = join(dir, 'data')
  if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(dir, cluster, account, binaries.initdb)

  const survivor = await findSurvivor(cluster, password)
  if (!survivor) await rm(join(cluster, 'postmaster.pid'), { force: true })
  const port = survivor?.port ?? (await findFreePort())
  const url = addressOf(port, password, database)

  let child: ChildProcess | undefined
  let pid = survivor?.pid
  let stopping = false

  async function launch(): Promise<void> {
    const log = await open(join(dir, 'log'), 'w', 0o600)
    const flags = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings]
    child = runAs(account, binaries.postgres, ['-D', cluster, ...flags.flatMap((flag) => ['-c', flag])], {
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    })
    child.on('error', () => {})
    pid = child.pid
    await log.close()
    child.once('exit', () => {
      if (!stopping) restart()
    })
  }

  function restart(): void {
    delay(restartPauseMs).then(() => (stopping ? undefined : launch()))
  }

  if (!survivor) await launch()
  try {
    await waitUntilReady(
      addressOf(port, password, 'postgres'),
      () => child !== undefined && child.exitCode !== null,
    )
  } catch (error) {
    stopping = true
    child?.kill('SIGINT')
    throw new EmbeddedPostgresError(`PostgreSQL did not start in ${dir}: ${await lastLogLines(dir, error)}`)
  }
  const charge = await takeCharge(dir, addressOf(port, password, 'postgres'))
  await createDatabase(addressOf(port, password, 'postgres'))
  if (survivor) charge.once('end', () => !stopping && restart())

  return {
    url,
    async stop() {
      stopping = true
      await charge.end().catch(() => {})
      if (child) await stopChild(child)
      else if (pid !== undefined) await stopByPid(pid)
    },
  }
}

/** The address of the server that runs on a folder under another process, or undefined: for the command line. */
export async function findRunningPostgres(dir: string): Promise<string | undefined> {
  const password = await readFile(join(dir, 'password'), 'utf8').catch(() => undefined)
  if (password === undefined) return undefined
  const running = await findSurvivor(join(dir, 'data'), password)
  return running && addressOf(running.port, password, database)
}

function addressOf(port: number, password: string, name: string): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${name}`
}

async function readOrMakePassword(dir: string): Promise<string> {
  const file = join(dir, 'password')
  if (existsSync(file)) return readFile(file, 'utf8')
  const password = randomBytes(24).toString('hex')
  await writeFile(file, password, { mode: 0o600, flush: true })
  return password
}

/** Makes the cluster beside its place and moves it there whole, so that a crash leaves no half of one. */
async function initialise(dir: string, cluster: string, account: Account, initdb: string): Promise<void> {
  const fresh = `${cluster}.new`
  const password = join(dir, 'password')
  await rm(fresh, { recursive: true, force: true })
  if (account.uid !== undefined) await chown(password, account.uid, account.gid ?? -1)
  const flags = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8', '--auth=scram-sha-256']
  const child = runAs(account, initdb, ['-D', fresh, '-U', superuser, `--pwfile=${password}`, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0)
    throw new EmbeddedPostgresError(`PostgreSQL could not be initialised in ${dir}: ${complaint.trim()}`)
  await rename(fresh, cluster)
}

/** The postmaster that still runs on this cluster, if there is one and it takes our password. */
async function findSurvivor(
  cluster: string,
  password: string,
): Promise<{ pid: number; port: number } | undefined> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!pid || !port || !isAlive(pid)) return undefined
  const deadline = Date.now() + startTimeoutMs
  while (isAlive(pid) && Date.now() < deadline) {
    const state = await probe(addressOf(port, password, 'postgres'))
    if (state === 'ready') return { pid, port }
    if (state === 'nobody' && !(await worksIn(pid, cluster))) return undefined
    await delay(pollMs)
  }
  return undefined
}

/** Whether a process has this folder as its own, as a postmaster has its cluster (Linux; elsewhere unknown, so no). */
async function worksIn(pid: number, cluster: string): Promise<boolean> {
  const folders = [readlink(`/proc/${pid}/cwd`), realpath(cluster)]
  const [ofProcess, ofCluster] = await Promise.all(folders.map((folder) => folder.catch(() => undefined)))
  return ofProcess !== undefined && ofProcess === ofCluster
}

/** Whether a server answers, is about to (it starts or stops), or is none of ours. */
async function probe(url: string): Promise<'ready' | 'busy' | 'nobody'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    return (error as { code?: string }).code === '57P03' ? 'busy' : 'nobody'
  }
}

async function waitUntilReady(url: string, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  while ((await probe(url)) !== 'ready') {
    if (hasEnded()) throw new Error('it ended at once')
    if (Date.now() > deadline) throw new Error(`no answer in ${startTimeoutMs / 1000} s`)
    await delay(pollMs)
  }
}

/** Holds a lock for as long as this process lives; a killed predecessor's lock goes with its connection. */
async function takeCharge(dir: string, url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'hearth in charge',
    keepAlive: true,
  })
  client.on('error', () => {})
  await client.connect()
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${chargeLock}) held`)
    if (rows[0]?.held) return client
    await delay(pollMs * 2)
  }
  await client.end()
  throw new EmbeddedPostgresError(
    `Another Hearth is running on ${dir}. Stop it first, or set DATA_DIR to another folder.`,
  )
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (rowCount === 0) await client.query(`create database ${database}`)
  } finally {
    await client.end()
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string')
    throw new EmbeddedPostgresError('No port is free on 127.0.0.1')
  return address.port
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGINT')
  await gone
}

async function stopByPid(pid: number): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGINT')
  while (isAlive(pid)) await delay(pollMs)
}

async function lastLogLines(dir: string, error: unknown): Promise<string> {
  const log = await readFile(join(dir, 'log'), 'utf8').catch(() => '')
  return log.trim().split('\n').slice(-3).join(' / ') || (error as Error).message
}
