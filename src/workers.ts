import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'

/** A worker that ends within this is a failed start, not a loss to make up for. */
const restartPauseMs = 500

export type Workers = {
  /** Where they answer, once the first one does; rejected when it ends instead. */
  address: Promise<string>
  /** Asks each to finish, and waits until all are gone. */
  stop(): Promise<void>
}

/** Starts processes that share the port, with `environment` besides this one's; one that ends is replaced. */
export function forkWorkers(count: number, environment: Record<string, string>): Workers {
  let stopping = false
  let answers = false
  const { promise: address, resolve, reject } = Promise.withResolvers<string>()

  function fork(): void {
    const worker = cluster.fork(environment)
    worker.on('message', (message: { address?: string }) => {
      if (message.address === undefined) return
      answers = true
      resolve(message.address)
    })
    worker.once('exit', () => {
      if (stopping) return
      if (!answers) return reject(new WorkersError('The processes that share the port ended at once.'))
      setTimeout(() => !stopping && fork(), restartPauseMs)
    })
  }

  for (let n = 0; n < count; n += 1) fork()
  return {
    address,
    async stop() {
      stopping = true
      await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => end(worker!)))
    },
  }
}

/** No process came up; each has said why on stderr. */
export class WorkersError extends Error {}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await gone
}
