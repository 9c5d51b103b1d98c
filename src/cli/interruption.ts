import { CliError } from './command.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Does work that ends in order when the process is to end: the signal that it gets is aborted then, with `CliError` of
 * this message. Without it the process would end at once.
 */
export async function interruptible<Result>(
  message: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const aborting = new AbortController()
  const abort = () => aborting.abort(new CliError(message))
  for (const name of signals) process.on(name, abort)
  try {
    return await work(aborting.signal)
  } finally {
    for (const name of signals) process.off(name, abort)
  }
}

/** What work answers; fails at once when the signal is aborted. */
export async function untilAborted<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work(), aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
