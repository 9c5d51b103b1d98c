import type { ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Options, type Server, startServer } from '../../test/support/server.ts'

/** How long a process gets to collect garbage. */
const collectMs = 2_000

/** A server that can be signalled to collect its memory. */
export function startCollectable(dataDir: string, options: Options = {}): Promise<Server> {
  return startServer(dataDir, { ...options, flags: ['--import', join(import.meta.dirname, 'collect.js')] })
}

/** Resident memory of a collectable process in MB, of what is in use. */
export async function collectedMb(child: ChildProcess): Promise<number> {
  child.kill('SIGUSR2')
  await pause(collectMs)
  return residentMb(child)
}

/** Resident memory of a process in MB, now (`VmRSS`) or at the most (`VmHWM`). Linux. */
export async function residentMb(child: ChildProcess, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
}

/**
 * Processor time since the machine was started, in ticks of all processors: all of it, and what its host gave to
 * others. Linux.
 */
export async function readProcessorTime(): Promise<{ all: number; stolen: number }> {
  const [first = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1)
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in the first two already
  const ticks = first.split(/ +/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 }
}

/** Milliseconds in one tick, as Linux counts them for every program. */
const tickMs = 10

/** The parent of a process, its own processor time in ms, and that of its children that have ended. Linux. */
async function readTimes(pid: number): Promise<{ parent: number; ownMs: number; endedMs: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0, own = 0, system = 0, ended = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (field) => fields[field],
  )
  return { parent, ownMs: (own + system) * tickMs, endedMs: (ended + endedSystem) * tickMs }
}

/** The processor time of a process so far in ms. */
export async function processorMs(pid: number): Promise<number> {
  return (await readTimes(pid)).ownMs
}

/** The same of a process with its children, as those of a PostgreSQL server are. */
export async function processorMsOfTree(pid: number): Promise<number> {
  const { ownMs, endedMs } = await readTimes(pid)
  const children = await readChildren(pid)
  return children.reduce((sum, child) => sum + child.ownMs, ownMs + endedMs)
}

/** The processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  return (await readChildren(pid)).map((child) => child.pid)
}

async function readChildren(pid: number): Promise<{ pid: number; ownMs: number }[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const read = await Promise.all(
    all.map(async (each) => ({ pid: each, ...(await readTimes(each).catch(() => undefined)) })),
  )
  return read.flatMap(({ pid: child, parent, ownMs }) =>
    parent === pid ? [{ pid: child, ownMs: ownMs! }] : [],
  )
}

/** The process that started this one. */
export async function parentOf(pid: number): Promise<number> {
  return (await readTimes(pid)).parent
}
