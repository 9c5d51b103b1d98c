import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import { relayWorkerMetrics } from '../http/metrics/worker-metrics.ts'

/** The pause before a worker that ended is replaced. */
const restartPauseMs = 500

type Workers = {
  /** The address they listen on, once the first one does; rejected when one ends before that. */
  address: Promise<string>
  /** Ends them when none listens any more, and waits until all are gone. */
  stop(): Promise<void>
}

/**
 * Starts `count` workers that share the port, with `environment` added to this process's; one that ends is replaced.
 */
export function forkWorkers(count: number, environment: Record<string, string>): Workers {
  let stopping = false
  let answers = false
  const listening = new WeakSet<Worker>()
  const { promise: address, resolve, reject } = Promise.withResolvers<string>()

  function fork(): void {
    const worker = cluster.fork(environment)
    worker.on('message', (message: { address?: string }) => {
      if (message.address === undefined) return
      answers = true
      listening.add(worker)
      resolve(message.address)
    })
    worker.on('message', (message) => relayWorkerMetrics(worker, message))
    worker.once('exit', replace)
    // The worker could not be started, or a message was sent between its end and its `exit` event.
    worker.on('error', () => {
      if (worker.process.pid === undefined) replace()
    })
  }

  function replace(): void {
    if (answers) setTimeout(() => !stopping && fork(), restartPauseMs)
    else reject(new WorkersError('The processes that share the port ended at once.'))
  }

  for (let n = 0; n < count; n += 1) fork()
  return {
    address,
    async stop() {
      stopping = true
      const workers = runningWorkers()
      const { listeners = [], starting = [] } = Object.groupBy(workers, (worker) => {
        return listening.has(worker) ? 'listeners' : 'starting'
      })
      // Those that start need not begin to listen.
      for (const worker of starting) void end(worker)
      // The others close their sockets, and then stop listening, at the same time. The clients of one that ends connect
      // anew. As long as another listened, these connections would wait for it, and be lost when it ends.
      await Promise.all(listeners.map(askToStopListening))
      await Promise.all(workers.map(end))
    },
  }
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

/** No worker started; each has written the reason to stderr. */
export class WorkersError extends Error {}

/** How long a worker may take to stop listening: it answers for a second after it has closed its sockets. */
const stopListeningMs = 2_000

async function askToStopListening(worker: Worker): Promise<void> {
  if (!worker.isConnected()) return
  const { promise, resolve } = Promise.withResolvers<void>()
  worker.on('message', (message: { listens?: boolean }) => {
    if (message.listens === false) resolve()
  })
  worker.once('exit', resolve)
  worker.send({ stopListening: true })
  await Promise.race([promise, pause(stopListeningMs)])
}

/** In a worker: stops listening when the primary asks for it, and reports when that is done. */
export function stopListeningOnRequest(stop: () => Promise<void>): void {
  if (!cluster.isWorker) return
  process.on('message', async (message: { stopListening?: boolean }) => {
    if (!message.stopListening) return
    await stop()
    if (process.connected) process.send!({ listens: false })
  })
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  // Not `once` of node:events, which rejects on `error`: sending to a worker that has just ended emits one.
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  worker.once('exit', () => resolve())
  worker.process.kill('SIGTERM')
  await gone
}
