import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** A worker on this machine that can be stopped as a crash stops it, and started again. */
export type Worker = { crash(): Promise<void>; start(): Promise<void> }

/** The worker at this address; its programs and data are on this machine. */
export async function findWorker(url: string): Promise<Worker> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ folder: string; programs: string }>(`
    select current_setting('data_directory') as folder, setting as programs from pg_config where name = 'BINDIR'`)
  await client.end()
  const { folder, programs } = rows[0]!
  const { uid, gid } = await stat(folder)
  const control = async (...words: string[]) => {
    await run(join(programs, 'pg_ctl'), ['-D', folder, '-w', ...words], { uid, gid, cwd: folder })
  }
  return {
    crash: () => control('-m', 'immediate', 'stop'),
    start: () => control('-l', join(folder, 'log'), 'start'),
  }
}
