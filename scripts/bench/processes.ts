import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

export type Server = { origin: string; process: ChildProcess; stop(): Promise<void> }

/** Starts a script with Node and waits until it prints its address. */
export async function startServer(script: string, env: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await addressIn(child)
  return {
    origin,
    process: child,
    async stop() {
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

/** Resident memory of a process in MB (Linux). */
export async function residentMb(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
