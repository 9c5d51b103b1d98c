import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

export type Server = { origin: string; process: ChildProcess; stop(): Promise<void> }

/** How long a process gets to collect what nobody uses. */
const collectMs = 2_000

/** Starts a script with Node and waits until it prints its address. */
export async function startServer(
  script: string,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<Server> {
  const child = spawn(process.execPath, [...flags, script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await addressIn(child)
  return {
    origin,
    process: child,
    async stop() {
      if (child.exitCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

async function addressIn(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const found = /answers at\s+(http:\S+)/.exec(line)
    if (found) {
      child.stdout!.resume()
      return found[1]!
    }
  }
  throw new Error('the server ended without an address')
}

/** A server that can be told to collect its memory. */
export function startCollectable(script: string, env: Record<string, string>): Promise<Server> {
  return startServer(script, env, ['--import', join(import.meta.dirname, 'collect.js')])
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
