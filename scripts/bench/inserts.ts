import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

/** The yardstick of sending: single durable rows by prepared statements, without HTTP. */
type InsertLoad = {
  name: string
  /** Rows per second with this many clients. */
  run(databaseUrl: string, clients: number, seconds: number): Promise<number>
}

const table = 'bench_messages'
const columns = '(room_id, id, author_id, device_id, content)'
const text = 'hearth fire wood smoke'

/** pgbench where it is installed, else the same loop on `pg`. */
export function chooseInserts(folder: string): InsertLoad {
  return spawnSync('pgbench', ['--version']).error === undefined
    ? {
        name: 'pgbench -M prepared',
        run: (url, clients, seconds) => runPgbench(folder, url, clients, seconds),
      }
    : { name: 'a loop on pg', run: runLoop }
}

/** A table like `messages`, with its indexes, for the yardstick to fill; emptied for each run. */
async function freshTable(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`drop table if exists ${table}; create table ${table} (like messages including all)`)
  await client.end()
}

async function runPgbench(
  folder: string,
  databaseUrl: string,
  clients: number,
  seconds: number,
): Promise<number> {
  await freshTable(databaseUrl)
  const script = join(folder, 'insert.sql')
  await writeFile(
    script,
    `\\set n :n + 1\ninsert into ${table} ${columns} values (:client_id, :n, 1, 1, '${text}');\n`,
  )
  const flags = `-n -M prepared -c ${clients} -j 1 -T ${seconds} -D n=0 -f`.split(' ')
  const child = spawn('pgbench', [...flags, script, databaseUrl], { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await once(child, 'close')
  const found = /tps = ([\d.]+) \(without initial/.exec(output)
  if (!found) throw new Error(`pgbench gave no result: ${output}`)
  return Number(found[1])
}

async function runLoop(databaseUrl: string, clients: number, seconds: number): Promise<number> {
  await freshTable(databaseUrl)
  const end = Date.now() + seconds * 1000
  const statement = { name: 'insert', text: `insert into ${table} ${columns} values ($1, $2, 1, 1, $3)` }
  const counts = await Promise.all(
    Array.from({ length: clients }, async (_, room) => {
      const client = new pg.Client({ connectionString: databaseUrl })
      await client.connect()
      let n = 0
      while (Date.now() < end) await client.query({ ...statement, values: [room, ++n, text] })
      await client.end()
      return n
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0) / seconds
}
