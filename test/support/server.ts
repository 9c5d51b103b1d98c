import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../../start.js')

/** A server in a process of its own, as `npm start` runs it. */
export type Server = {
  child: ChildProcess
  /** `http://127.0.0.1:port` */
  origin: string
  port: number
  /** What it has written so far, its log included. */
  output(): string
  /** Sends a signal to one that still runs, and gives the exit code, null when a signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

export type Options = {
  environment?: Record<string, string>
  main?: string
  /** For Node. */
  flags?: readonly string[]
  uid?: number
  gid?: number
  /** With a channel for messages, as process managers open one. */
  channel?: boolean
}

// A server that hangs would outlive a run that is broken off, and take a processor for ever.
const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}
process.once('exit', endAll)
process.once('SIGTERM', () => {
  endAll()
  process.kill(process.pid, 'SIGTERM')
})

function endWithUs(child: ChildProcess): void {
  running.add(child)
  child.once('exit', () => running.delete(child))
}

/**
 * Starts a server (or the bare one of the bench), and waits until it says where it answers. Throws what it wrote if it
 * ends.
 */
export async function startServer(dataDir: string, options: Options = {}): Promise<Server> {
  const child = spawnServer(dataDir, options)
  endWithUs(child)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  const origin = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const address = /"listening":"([^"]+)".*\n/.exec(output) ?? /^bare answers at (.*)\n/m.exec(output)
      if (!address) return
      child.stdout!.off('data', look)
      resolve(address[1]!)
    }
    child.stdout!.on('data', look)
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${output}`)))
  })
  return {
    child,
    origin,
    port: Number(new URL(origin).port),
    output: () => output,
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      const [code] = await exited
      return code as number | null
    },
  }
}

/** A start that is expected to fail: its exit code and what it wrote to stderr. */
export async function failToStart(dataDir: string, environment: Record<string, string> = {}) {
  const { code, stderr } = await beginToStart(dataDir, environment).ended
  return { code, stderr }
}

/**
 * A start that does not come to its end: its process, what it has written, and in the end the exit code and what it
 * wrote.
 */
export function beginToStart(dataDir: string, environment: Record<string, string>) {
  const child = spawnServer(dataDir, { environment })
  const written = { stdout: '', stderr: '' }
  child.stdout!.on('data', (chunk) => (written.stdout += chunk))
  child.stderr!.on('data', (chunk) => (written.stderr += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }))
  return { child, written, ended }
}

function spawnServer(
  dataDir: string,
  { environment, flags = [], uid, gid, channel = false, ...options }: Options,
): ChildProcess {
  const { PATH = '' } = process.env
  return spawn(process.execPath, [...flags, options.main ?? main], {
    env: {
      PATH,
      HOME: dataDir,
      DATA_DIR: dataDir,
      PORT: '0',
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(channel ? ['ipc' as const] : [])],
    ...(uid === undefined ? {} : { uid, gid }),
  })
}

/** The processes that share the port of a server, none when it is one process. Of Linux alone. */
export function workersOf({ child: { pid } }: Server): number[] {
  return (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/[0-9]+/g) ?? []).map(Number)
}

/** An unused port below the ephemeral range: it stays free while its server is stopped. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000)
  const listening = createServer().listen(port, '127.0.0.1')
  const taken = await new Promise<boolean>((resolve) => {
    listening.once('error', () => resolve(true)).once('listening', () => resolve(false))
  })
  if (taken) return freePort()
  await new Promise((resolve) => listening.close(resolve))
  return port
}

/** The status of an answer of a server, over a connection of this agent; undefined when there is none. */
export function statusOf({ origin }: Server, path: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(`${origin}${path}`, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode))
    })
    request.on('error', () => resolve(undefined))
  })
}
