import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Stops the PostgreSQL of a folder, if one runs, without waiting for it: for a process that is about to end. Linux. */
export function interruptPostgres(folder: string): void {
  const dataFolder = join(folder, 'data')
  try {
    const [pid] = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1)
    // What was left of one that was killed may name another process by now.
    if (readlinkSync(`/proc/${pid}/cwd`) === dataFolder) process.kill(Number(pid), 'SIGINT')
  } catch {
    // It does not run.
  }
}
