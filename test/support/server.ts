import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../../start.js')

/** A server in a process of its own, as `npm start` runs it. */
export type Server = {
  child: ChildProcess
  /** `http://127.0.0.1:port` */
  origin: string
  /** Sends a signal and gives the exit code, null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

export type Options = { environment?: Record<string, string>; main?: string; uid?: number; gid?: number }

/** Starts a server and waits until it says where it answers. Throws with what it wrote when it ends before. */
export async function startServer(dataDir: string, options: Options = {}): Promise<Server> {
  const child = spawnServer(dataDir, options)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', () => {
      const address = /answers at +(\S+)/.exec(output)
      if (address) resolve(address[1]!)
    })
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
  return {
    child,
    origin,
    async end(signal) {
      child.kill(signal)
      const [code] = await exited
      return code as number | null
    },
  }
}

/** A start that is expected to fail: its exit code and what it wrote to stderr. */
export async function failToStart(dataDir: string, environment: Record<string, string> = {}) {
  const child = spawnServer(dataDir, { environment })
  let stderr = ''
  child.stderr!.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code: code as number | null, stderr }
}

function spawnServer(dataDir: string, options: Options): ChildProcess {
  const { PATH = '' } = process.env
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.gid }
  return spawn(process.execPath, [options.main ?? main], {
    env: {
      PATH,
      HOME: dataDir,
      DATA_DIR: dataDir,
      PORT: '0',
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'silent',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  })
}
