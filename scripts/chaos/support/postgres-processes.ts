import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stage } from './stage.ts'

/** The pid of the postmaster of a stage. */
export async function findPostmaster(stage: Stage): Promise<number> {
  const file = await readFile(join(stage.folder, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  return Number(file.split('\n', 1)[0])
}

/** Sends a signal to the postmaster and everything it has started. Needs /proc. */
export async function signalPostgres(stage: Stage, signal: NodeJS.Signals): Promise<void> {
  const postmaster = await findPostmaster(stage)
  for (const pid of [postmaster, ...(await listChildren(postmaster))]) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has ended since.
    }
  }
}

/**
 * The memory in MB that the processes of a stage's PostgreSQL have for themselves, what they share left out. Needs
 * /proc.
 */
export async function postgresMb(stage: Stage): Promise<number> {
  const pids = await listChildren(await findPostmaster(stage))
  const statuses = pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))
  const kilobytes = (await Promise.all(statuses)).map((text) =>
    Number(/RssAnon:\s+(\d+) kB/.exec(text)?.[1] ?? 0),
  )
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}

async function listChildren(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name))
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      return Number(/\) \S (\d+)/.exec(text)?.[1] ?? 0)
    }),
  )
  return pids.filter((_pid, index) => parents[index] === parent).map(Number)
}
