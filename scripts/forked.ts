import { fork } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'

const answerWithinMs = 600_000

/** A script that runs in a process of its own, so that what it does takes no time from what is measured here. */
export type Forked = {
  tell(message: object | string): void
  /** What it answers to a message, one at a time. Throws when it ends instead, or is silent for ten minutes. */
  ask<Answer>(message: object | string): Promise<Answer>
  /** Disconnects, upon which it has to end, and gives its exit code. */
  leave(): Promise<number | null>
}

export function startForked(file: string): Forked {
  const child = fork(file, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return {
    tell: (message) => void child.send(message),
    async ask<Answer>(message: object | string) {
      const answered = once(child, 'message', { signal: AbortSignal.timeout(answerWithinMs) })
      child.send(message)
      const answer = await Promise.race([answered, ended])
      if (!Array.isArray(answer)) throw new Error(`${basename(file)} ended with ${answer}`)
      return answer[0] as Answer
    },
    async leave() {
      if (child.connected) child.disconnect()
      return ended
    },
  }
}
