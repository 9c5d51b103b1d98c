import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { planDistribution } from '../../src/database/distribution/distribute.ts'
import { migrateToLatest } from '../../src/database/migrations/migrate.ts'
import type { DB } from '../../src/database/schema.ts'
import { databaseOn, onServer, onServers } from './database-server.ts'

/** Few, as each test file has all of them: enough for rooms on either worker. */
const shards = 4

/** The addresses of a coordinator, and of the workers that its own database knows. */
export async function listServers(coordinator: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: coordinator })
  await client.connect()
  try {
    const { rows } = await client.query<{ nodename: string; nodeport: number }>(
      'select nodename, nodeport from pg_dist_node where groupid > 0 order by groupid',
    )
    const workers = rows.map(({ nodename, nodeport }) => {
      const address = new URL(coordinator)
      address.hostname = nodename
      address.port = String(nodeport)
      return address.href
    })
    return [coordinator, ...workers]
  } finally {
    await client.end()
  }
}

/** Makes a database of Citus with a distributed message store that can be cloned on each of its servers. */
export async function makeCitusTemplate(servers: readonly string[], name: string): Promise<void> {
  await makeCitusDatabase(servers, name)
  const pool = new pg.Pool({ connectionString: databaseOn(servers[0]!, name), max: 1 })
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  try {
    await migrateToLatest(db)
    await pool.query(`set citus.shard_count = ${shards}; set citus.multi_shard_modify_mode = sequential`)
    const plan = await planDistribution(db)
    if ('obstacle' in plan) throw new Error(`The store cannot be distributed: ${plan.obstacle.reason}`)
    for (const { statement } of plan.steps) await pool.query(statement)
  } finally {
    await db.destroy()
  }
  // A database that somebody is connected to cannot be cloned, and a background process of Citus would connect again.
  await onServers(servers, `alter database ${name} allow_connections false`)
  await onServers(
    servers,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
  )
}

/** Makes an empty database with Citus on a coordinator and its workers. */
export async function makeCitusDatabase(servers: readonly string[], name: string): Promise<void> {
  await onServers(servers, `create database ${name} encoding 'UTF8' template template0`)
  const [coordinator, ...workers] = servers.map((url) => databaseOn(url, name))
  await onServers([coordinator!, ...workers], 'create extension citus')
  await onServer(coordinator!, `select citus_set_coordinator_host(${hostAndPort(coordinator!)})`)
  for (const worker of workers) await onServer(coordinator!, `select citus_add_node(${hostAndPort(worker)})`)
}

function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url)
  return `'${hostname}', ${port || 5432}`
}
