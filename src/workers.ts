import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Metric } from './http/counters.ts'
import type { MetricsMessage } from './http/worker-metrics.ts'

/** The pause before a worker that ended is replaced. */
const restartPauseMs = 500

type Workers = {
  /** The address they listen on, once the first one does; rejected when one ends before that. */
  address: Promise<string>
  /** Ends them when none listens any more, and waits until all are gone. */
  stop(): Promise<void>
}

/** Starts `count` workers that share the port, with `environment` added to this process's; one that ends is replaced. */
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
    worker.on('message', (message: MetricsMessage) => {
      if (message.metrics === 'ask') void sendMetricsOfOthers(worker, message.id)
    })
    worker.once('exit', replace)
    // That it could not be started, or that something was sent to it after it died and before its `exit`.
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
      // The clients of one that ends connect anew. As long as another listened, these connections would wait for it, and
      // be lost when it ends.
      await Promise.all(workers.map(askToStopListening))
      await Promise.all(workers.map(end))
    },
  }
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

/** How long a worker may take to send its metrics. */
const metricsTimeoutMs = 2_000

/** Collects the metrics of the other workers for the one that asked. */
async function sendMetricsOfOthers(asker: Worker, id: number): Promise<void> {
  const others = runningWorkers().filter((one) => one !== asker && one.isConnected())
  const lists = await Promise.all(others.map(askForMetrics))
  if (asker.isConnected()) asker.send({ metrics: 'all', id, lists: lists.filter((list) => list.length > 0) })
}

let asked = 0

/** The metrics of a worker; none when it does not answer in time. */
async function askForMetrics(worker: Worker): Promise<Metric[]> {
  const id = ++asked
  const { promise, resolve } = Promise.withResolvers<Metric[]>()
  function onMessage(message: MetricsMessage): void {
    if (message.metrics === 'told' && message.id === id) resolve(message.list)
  }
  worker.on('message', onMessage)
  worker.send({ metrics: 'tell', id })
  const list = await Promise.race([promise, pause(metricsTimeoutMs, [])])
  worker.off('message', onMessage)
  return list
}

/** No worker came up; each has written why to stderr. */
export class WorkersError extends Error {}

/** How long a worker may take to stop listening. */
const stopListeningMs = 1_000

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

/** In a worker: calls back when the primary asks it to stop listening. */
export function listenUntilAsked(stop: () => void): void {
  if (!cluster.isWorker) return
  process.on('message', (message: { stopListening?: boolean }) => {
    if (!message.stopListening) return
    stop()
    process.send!({ listens: false })
  })
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  // Not `once` of node:events, which an `error` would end: what is sent to a worker that has just died is one.
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  worker.once('exit', () => resolve())
  worker.process.kill('SIGTERM')
  await gone
}
