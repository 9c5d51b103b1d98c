import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

const pollMs = 20
const startsWithinMs = 20_000

/** A program that can be killed and started again. */
export type Program = {
  /** Its process id. */
  pid(): number
  start(): Promise<void>
  kill(): Promise<void>
}

export type Command = {
  program: string
  args: string[]
  /** Its working directory. */
  folder: string
  environment?: Record<string, string>
  /** Whether it answers. */
  answers(): Promise<boolean>
}

/** Starts a program, and waits until it answers. Throws what it wrote if it ends before. */
export async function startProgram(command: Command): Promise<Program> {
  const { program, args, folder, environment, answers } = command
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null

  async function start(): Promise<void> {
    let output = ''
    child = spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.on('error', (error) => (output += error.message))
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk))
    const deadline = performance.now() + startsWithinMs
    while (!(await answers())) {
      if (!isRunning() || performance.now() > deadline)
        throw new Error(`${program} does not answer: ${output}`)
      await pause(pollMs)
    }
  }

  await start()
  return {
    pid: () => child!.pid!,
    start,
    async kill() {
      if (!isRunning()) return
      const ended = once(child!, 'exit')
      child!.kill('SIGKILL')
      await ended
    },
  }
}
