import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chown, link, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Account, EmbeddedPostgresError, runAs } from './embedded-account.ts'
import { ownerName, ownerPassword } from './owner.ts'

const superuser = 'hearth'
const probeTimeoutMs = 2_000
const pollMs = 20
/** Greater than every pid of Linux (2^22). */
const unusedPid = 4_194_305

/** The folder of one cluster: `data`, `password` and `log` lie in it. */
export type Cluster = { dir: string; data: string; password: string }

/** Where a running postmaster listens. */
export type Postmaster = { pid: number; port: number }

/** The URL of a database for the superuser. It sets `sslmode`, as PGSSLMODE in the environment is for other databases. */
export function urlOf(cluster: Cluster, port: number, database: string): string {
  return `postgres://${superuser}:${cluster.password}@127.0.0.1:${port}/${database}?sslmode=disable`
}

/** What a socket's path may take of the 107 bytes that the system allows, without the name of the socket. */
const maxSocketFolderBytes = 85

/** The folder for the socket of a cluster; empty where its path is too long for one. */
export function socketFolderOf(cluster: Cluster): string {
  return Buffer.byteLength(cluster.dir) <= maxSocketFolderBytes ? cluster.dir : ''
}

/** The same for the owner of the database. */
export function ownerUrlOf(cluster: Cluster, address: string): string {
  return address.replace(
    `//${superuser}:${cluster.password}@`,
    `//${ownerName}:${ownerPassword(cluster.password)}@`,
  )
}

/** The same address by the socket in the cluster's folder, which costs half of what loopback does; else by loopback. */
export function localUrlOf(cluster: Cluster, port: number, database: string): string {
  const folder = socketFolderOf(cluster)
  const address = urlOf(cluster, port, database)
  if (folder === '' || !existsSync(join(folder, `.s.PGSQL.${port}`))) return address
  return address.replace('127.0.0.1', encodeURIComponent(folder))
}

/** The cluster of a folder that has one, or undefined. */
export async function openCluster(dir: string): Promise<Cluster | undefined> {
  const password = await readFile(join(dir, 'password'), 'utf8').catch(() => '')
  return password === '' ? undefined : { dir, data: join(dir, 'data'), password }
}

/** The cluster of a folder, made when there is none. */
export async function openOrCreateCluster(dir: string, account: Account, initdb: string): Promise<Cluster> {
  const data = join(dir, 'data')
  const isMade = existsSync(join(data, 'PG_VERSION'))
  if (isMade && !existsSync(join(dir, 'password'))) {
    throw new EmbeddedPostgresError(`${join(dir, 'password')} is missing: the database there needs it.`)
  }
  await makePassword(dir)
  const cluster = { dir, data, password: await readFile(join(dir, 'password'), 'utf8') }
  if (!isMade) await initialise(cluster, account, initdb)
  return cluster
}

/** Creates the password file atomically; of two processes that start at once, one creates it. */
async function makePassword(dir: string): Promise<void> {
  const file = join(dir, 'password')
  if (existsSync(file)) return
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, randomBytes(24).toString('hex'), { mode: 0o600, flush: true })
  await link(fresh, file).catch((error: { code?: string }) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(fresh)
}

/** Creates the cluster in a temporary folder and renames that, so that a crash leaves no partial cluster. */
async function initialise({ dir, data }: Cluster, account: Account, initdb: string): Promise<void> {
  const fresh = `${data}.${process.pid}`
  const password = join(dir, 'password')
  // Where process ids repeat, as in a container, an earlier process that was killed may have left this very folder.
  await rm(fresh, { recursive: true, force: true })
  if (account.uid !== undefined) await chown(password, account.uid, account.gid ?? -1)
  const flags = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8', '--auth=scram-sha-256']
  const child = runAs(account, initdb, ['-D', fresh, '-U', superuser, `--pwfile=${password}`, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.on('error', () => {})
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) {
    throw new EmbeddedPostgresError(`PostgreSQL could not be initialised in ${dir}: ${complaint.trim()}`)
  }
  await rename(fresh, data).catch(async (error: { code?: string }) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    await rm(fresh, { recursive: true })
  })
}

/**
 * The postmaster that runs on the cluster and answers, or undefined when none runs. Waits for one that starts or stops.
 */
export async function findPostmaster(cluster: Cluster, timeoutMs: number): Promise<Postmaster | undefined> {
  const deadline = Date.now() + timeoutMs
  do {
    const { pid, port } = await readLockFile(cluster)
    if (!isAlive(pid)) return undefined
    const state = port === 0 ? 'silent' : await probePostgres(urlOf(cluster, port, 'postgres'))
    if (state === 'ready') return { pid, port }
    if (state !== 'busy' && !(await hasWorkingDirectory(pid, cluster.data))) return undefined
    if (state === 'refuses') throw wrongPassword(cluster)
    await pause(pollMs)
  } while (Date.now() < deadline)
  return undefined
}

/**
 * Before a start: a lock file whose pid now belongs to another process would keep PostgreSQL from starting. The pid is
 * replaced, not the file removed, so that PostgreSQL still checks whether orphans of the old server use its memory.
 */
export async function invalidateStaleLockFile(cluster: Cluster): Promise<void> {
  const { pid, lines } = await readLockFile(cluster)
  if (!isAlive(pid) || (await hasWorkingDirectory(pid, cluster.data))) return
  await writeFile(join(cluster.data, 'postmaster.pid'), [unusedPid, ...lines.slice(1)].join('\n'))
}

async function readLockFile({ data }: Cluster): Promise<Postmaster & { lines: string[] }> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return { pid: Number(lines[0]) || 0, port: Number(lines[3]) || 0, lines }
}

/** Whether a process has this working directory, as a postmaster has its cluster. False except on Linux. */
async function hasWorkingDirectory(pid: number, data: string): Promise<boolean> {
  const folders = [readlink(`/proc/${pid}/cwd`), realpath(data)]
  const [ofProcess, ofCluster] = await Promise.all(folders.map((folder) => folder.catch(() => undefined)))
  return ofProcess !== undefined && ofProcess === ofCluster
}

/** Whether a server answers (`ready`), starts or stops (`busy`), refuses the password, or does not answer. */
export async function probePostgres(url: string): Promise<'ready' | 'busy' | 'refuses' | 'silent'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: probeTimeoutMs })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === '57P03') return 'busy'
    return code === '28P01' ? 'refuses' : 'silent'
  }
}

export function wrongPassword({ dir }: Cluster): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`${join(dir, 'password')} is not the password of the database there.`)
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EPERM') return false
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

/** The reason why PostgreSQL ended, from its log: the last fatal line, else the last three lines. */
export async function lastLogLines({ dir }: Cluster): Promise<string> {
  const log = await readFile(join(dir, 'log'), 'utf8').catch(() => '')
  const lines = log.trim().split('\n').slice(-20)
  const fatal = lines.filter(
    (line) => /(FATAL|PANIC): /.test(line) && !line.includes('the database system is '),
  )
  return (fatal.length > 0 ? fatal.slice(-1) : lines.slice(-3)).join(' / ')
}
