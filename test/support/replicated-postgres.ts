import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, copyFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  type Account,
  choosePostgresAccount,
  findBinaries,
  runAs,
} from '../../src/database/embedded/embedded-account.ts'
import { type Cluster, openOrCreateCluster, urlOf } from '../../src/database/embedded/embedded-cluster.ts'
import { freePort } from './server.ts'

const run = promisify(execFile)
const database = 'hearth'
const pollMs = 20
const withinMs = 60_000

/** One of several PostgreSQL that replicate. */
export type ReplicatedServer = {
  readonly port: number
  /** The address of this server alone. */
  readonly url: string
  /** The folder of its data. */
  readonly data: string
  /** Starts it as what it was: the primary it once was, too. */
  start(): Promise<void>
  /** Kills all its processes, as the loss of its machine does. */
  kill(): Promise<void>
  /** Stops and continues all its processes: nobody closes a connection. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Makes a new, running, synchronous standby of the other out of it. */
  follow(primary: ReplicatedServer): Promise<void>
  /** Makes the standby the primary, which waits for no standby. */
  promote(): Promise<void>
  /** What was left of a primary commits from now on without its standby. */
  stopWaitingForStandby(): Promise<void>
  query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]>
}

/** Two PostgreSQL of the embedded programs in a folder: a primary, and its synchronous standby. */
export async function startReplicatedPostgres(
  folder: string,
  settings: string[] = [],
): Promise<{ servers: [ReplicatedServer, ReplicatedServer]; url: string; stop(): Promise<void> }> {
  const binaries = await findBinaries()
  const account = await choosePostgresAccount(folder, binaries)
  const dirs = ['one', 'two'].map((name) => join(folder, name)) as [string, string]
  await Promise.all(dirs.map((dir) => mkdir(dir, { mode: 0o700 })))
  await Promise.all(dirs.map((dir) => own(account, dir)))
  const cluster = await openOrCreateCluster(dirs[0], account, binaries.initdb)
  await copyFile(join(dirs[0], 'password'), join(dirs[1], 'password'))
  const open = async (dir: string) =>
    openServer({ ...cluster, dir, data: join(dir, 'data') }, account, binaries.postgres, settings)
  const servers: [ReplicatedServer, ReplicatedServer] = [await open(dirs[0]), await open(dirs[1])]
  const [primary, standby] = servers
  await primary.start()
  await query(urlOf(cluster, primary.port, 'postgres'), `create database ${database}`)
  await standby.follow(primary)
  const [one, two] = servers.map(({ port }) => `127.0.0.1:${port}`)
  return {
    servers,
    url: primary.url.replace(one!, `${one},${two}`).concat('&target_session_attrs=read-write'),
    stop: async () => void (await Promise.all(servers.map((server) => server.kill()))),
  }
}

async function openServer(
  cluster: Cluster,
  account: Account,
  program: string,
  settings: string[],
): Promise<ReplicatedServer> {
  const port = await freePort()
  const url = urlOf(cluster, port, database)
  const autoConf = join(cluster.data, 'postgresql.auto.conf')
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const log = await open(join(cluster.dir, 'log'), 'a', 0o600)
    const flags = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings]
    child = runAs(account, program, ['-D', cluster.data, ...flags.flatMap((flag) => ['-c', flag])], {
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    })
    child.on('error', () => {})
    await log.close()
    await until(`PostgreSQL in ${cluster.dir} answers`, async () => {
      if (child?.exitCode !== null) throw new Error(await readFile(join(cluster.dir, 'log'), 'utf8'))
      return query(urlOf(cluster, port, 'postgres'), 'select').then(
        () => true,
        () => false,
      )
    })
  }

  /** To all at once: a backend that lives on for a moment would still answer. */
  async function signalAll(signal: NodeJS.Signals): Promise<void> {
    for (const pid of [child!.pid!, ...(await listChildren(child!.pid!))]) {
      try {
        process.kill(pid, signal)
      } catch {
        // The process has ended since.
      }
    }
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    await signalAll('SIGKILL')
    await ended
    await rm(join(cluster.data, 'postmaster.pid'), { force: true })
  }

  return {
    port,
    url,
    data: cluster.data,
    start,
    kill,
    signal: signalAll,
    async follow(primary) {
      await kill()
      await copyData(primary, cluster.data)
      const conninfo = `host=127.0.0.1 port=${primary.port} user=hearth password=${cluster.password}`
      await writeFile(autoConf, `primary_conninfo = '${conninfo}'\n`)
      await writeFile(join(cluster.data, 'standby.signal'), '')
      await own(account, autoConf)
      await own(account, join(cluster.data, 'standby.signal'))
      await start()
      await query(primary.url, "alter system set synchronous_standby_names = '*'")
      await query(primary.url, 'select pg_reload_conf()')
      await until('the standby is a synchronous one', async () => {
        const rows = await query(primary.url, "select from pg_stat_replication where sync_state = 'sync'")
        return rows.length > 0
      })
    },
    async promote() {
      await query(url, 'select pg_promote(true, 60)')
    },
    async stopWaitingForStandby() {
      await appendFile(autoConf, "synchronous_standby_names = ''\n")
    },
    query: (statement) => query(url, statement),
  }

  /** A copy of the files of a primary that runs, as pg_basebackup makes it, which the embedded programs lack. */
  async function copyData({ url: primaryUrl, data: from }: ReplicatedServer, to: string): Promise<void> {
    await rm(to, { recursive: true, force: true })
    const client = new pg.Client(primaryUrl)
    await client.connect()
    try {
      await client.query("select pg_backup_start('standby', true)")
      // Files may vanish while they are copied: what is in them is in the WAL.
      await run('cp', ['-a', from, to]).catch(() => {})
      const { rows } = await client.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop(false)',
      )
      await writeFile(join(to, 'backup_label'), rows[0]!.labelfile)
      await own(account, join(to, 'backup_label'))
      await rm(join(to, 'postmaster.pid'), { force: true })
    } finally {
      await client.end()
    }
  }
}

async function own({ uid, gid }: Account, path: string): Promise<void> {
  if (uid !== undefined) await chown(path, uid, gid ?? -1)
}

async function listChildren(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return pids.filter((_pid, index) => /\) \S (\d+)/.exec(stats[index]!)?.[1] === String(parent)).map(Number)
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`it did not come about within ${withinMs} ms that ${what}`)
    await pause(pollMs)
  }
}
