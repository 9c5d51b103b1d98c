import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { firstResult, NoResult } from './attempts.ts'

/** The yardstick of sending: single durable rows by prepared statements, without HTTP. */
export type InsertLoad = {
  name: string
  /** Inserts rows with this many clients. */
  run(databaseUrl: string, clients: number, seconds: number): Promise<Inserts>
}

type Inserts = { rows: number; rowsPerSecond: number }

const table = 'bench_messages'
const columns = '(room_id, id, author_id, device_id, content)'
const text = 'hearth fire wood smoke'

/** pgbench where it is installed, else the same loop on `pg`. */
export function chooseInserts(folder: string): InsertLoad {
  const hasPgbench = spawnSync('pgbench', ['--version']).error === undefined
  const { name, run }: InsertLoad = hasPgbench
    ? { name: 'pgbench -M prepared', run: (...order) => runPgbench(folder, ...order) }
    : { name: 'a loop on pg', run: runLoop }
  return {
    name,
    run: (databaseUrl, clients, usualSeconds) =>
      firstResult(usualSeconds, (seconds) => run(databaseUrl, clients, seconds)),
  }
}

/** A table like `messages` for the yardstick to fill, new for each run: with every index and constraint but the foreign key. */
async function freshTable(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`drop table if exists ${table}; create table ${table} (like messages including all)`)
  await client.end()
}

/** The seconds include the time to connect, what it gives does not: on a slow machine nothing may be left of a short round. */
async function runPgbench(
  folder: string,
  databaseUrl: string,
  clients: number,
  seconds: number,
): Promise<Inserts> {
  await freshTable(databaseUrl)
  const script = join(folder, 'insert.sql')
  await writeFile(
    script,
    `\\set n :n + 1\ninsert into ${table} ${columns} values (:client_id, :n, 1, 1, '${text}');\n`,
  )
  const flags = `-n -M prepared -c ${clients} -j 1 -T ${seconds} -D n=0 -f`.split(' ')
  const child = spawn('pgbench', [...flags, script, databaseUrl], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  await once(child, 'close')
  const rows = /transactions actually processed: (\d+)/.exec(output)
  const found = /tps = ([\d.]+) \(without initial/.exec(output)
  if (!found || !rows) throw new NoResult(`pgbench gave no result: ${output}`)
  return { rows: Number(rows[1]), rowsPerSecond: Number(found[1]) }
}

async function runLoop(databaseUrl: string, count: number, seconds: number): Promise<Inserts> {
  await freshTable(databaseUrl)
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: databaseUrl }))
  await Promise.all(clients.map((client) => client.connect()))
  const statement = { name: 'insert', text: `insert into ${table} ${columns} values ($1, $2, 1, 1, $3)` }
  const started = performance.now()
  const counts = await Promise.all(
    clients.map(async (client, room) => {
      let n = 0
      while (performance.now() < started + seconds * 1000)
        await client.query({ ...statement, values: [room, ++n, text] })
      return n
    }),
  )
  const elapsedMs = performance.now() - started
  await Promise.all(clients.map((client) => client.end()))
  const rows = counts.reduce((sum, each) => sum + each, 0)
  if (rows === 0) throw new NoResult('the loop on pg wrote no row')
  return { rows, rowsPerSecond: rows / (elapsedMs / 1000) }
}
