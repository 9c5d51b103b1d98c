import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { insertInto } from './rows.ts'

const pauseMs = 3

/** Writes a row into every table again and again, as a process of the version before would, until stopped. */
export async function startOldProcess(databaseUrl: string, tables: string[], firstFree: number) {
  const client = new pg.Client({ connectionString: databaseUrl })
  // A query that meets it fails with the reason; without this, the process would end.
  client.on('error', () => {})
  await client.connect()
  const failures: string[] = []
  let [n, isOver, slowestMs, slowest] = [firstFree, false, 0, '']

  async function write(statement: string, table: string): Promise<void> {
    const since = performance.now()
    await client.query(statement)
    const ms = performance.now() - since
    if (ms > slowestMs) [slowestMs, slowest] = [ms, table]
  }

  const writing = (async () => {
    while (!isOver && failures.length === 0) {
      try {
        for (const table of tables) await write(insertInto(table, n, n), table)
        n += 1
        await write(`update users set bio = 'changed ' || id where id = ${n - 1}`, 'users')
      } catch (error) {
        failures.push((error as Error).message)
      }
      await pause(pauseMs)
    }
  })()
  return {
    /** Ends, and says how it went: how many rows each table got, what failed, and which table had to wait longest. */
    async stop() {
      isOver = true
      await writing
      await client.end()
      return { written: n - firstFree, failures, slowestMs, slowest }
    },
  }
}
