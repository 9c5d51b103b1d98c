import { sql } from 'kysely'
import pg from 'pg'
import type { TcpProxy, Weather } from '../../../test/support/tcp-proxy.ts'
import { signalPostgres } from '../support/postgres-processes.ts'
import type { Stage } from '../support/stage.ts'
import type { SmallDisk } from './small-disk.ts'

/** A temporary outage of the database. */
export type Disaster = {
  name: string
  begin(): Promise<unknown>
  end(): Promise<unknown>
  /** What is noticed at once need not last. */
  shortMs?: number
  /** What is noticed late has to last. */
  atLeastMs?: number
  /** What an answer may take, where that is more than usual. */
  longestMs?: number
}

type Scene = { stage: Stage; proxy: TcpProxy; disk: SmallDisk | undefined }

/** All of them, one after the other. */
export function disasters({ stage, proxy, disk }: Scene): Disaster[] {
  const weather = (name: string, bad: Weather): Disaster => ({
    name,
    begin: () => proxy.set(bad),
    end: () => proxy.set('fine'),
  })
  return [
    { ...weather('nobody listens', 'refuse'), shortMs: 800 },
    { ...weather('connections are reset', 'reset'), shortMs: 800 },
    weather('the network swallows everything', 'black hole'),
    {
      name: 'PostgreSQL is stopped (SIGSTOP)',
      begin: () => signalPostgres(stage, 'SIGSTOP'),
      end: () => signalPostgres(stage, 'SIGCONT'),
    },
    commitsHang(stage),
    allConnectionsTaken(stage),
    ...(disk ? [{ name: 'the disk is full', begin: disk.fill, end: disk.empty, shortMs: 1_500 }] : []),
  ]
}

/** PostgreSQL answers, and no commit gets on: it waits for a replica that there is not, as it would wait for a disk. */
function commitsHang({ db }: Stage): Disaster {
  async function wait(isWaiting: boolean): Promise<void> {
    await sql.raw(`alter system set synchronous_standby_names = '${isWaiting ? 'nobody' : ''}'`).execute(db)
    await sql`select pg_reload_conf()`.execute(db)
  }
  return {
    name: 'commits hang',
    atLeastMs: 4_500,
    // The limit in src/database/ comes to 3 s.
    longestMs: 4_500,
    begin: () => wait(true),
    end: () => wait(false),
  }
}

/** Somebody else takes every connection there is, also those that the server has had. */
function allConnectionsTaken({ databaseUrl }: Stage): Disaster {
  const taken: pg.Client[] = []

  async function take(): Promise<boolean> {
    const client = new pg.Client({ connectionString: databaseUrl })
    client.on('error', () => {})
    const isIn = await client.connect().then(
      () => true,
      () => false,
    )
    if (isIn) taken.push(client)
    return isIn
  }

  return {
    name: 'all connections are taken',
    shortMs: 1_000,
    async begin() {
      while (await take());
      const [first] = taken
      for (let round = 0; round < 5; round += 1) {
        await first!.query(
          "select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name = 'hearth'",
        )
        while (await take());
      }
    },
    async end() {
      await Promise.all(taken.splice(0).map((client) => client.end()))
    },
  }
}
