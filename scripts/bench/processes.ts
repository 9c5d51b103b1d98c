import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
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
