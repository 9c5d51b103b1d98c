import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { MetricsMessage } from './http/fellow-metrics.ts'
import type { Metric } from './http/tallies.ts'

/** A worker that ends within this is a failed start, not a loss to make up for. */
const restartPauseMs = 500

type Workers = {
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
    worker.on('message', (message: MetricsMessage) => {
      if (message.metrics === 'ask') void tellOfOthers(worker, message.id)
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

/** How long a process has for telling its metrics. */
const tellingMs = 2_000

/** Asks the other processes for their metrics, and passes them on to the one that wants to know. */
async function tellOfOthers(asker: Worker, id: number): Promise<void> {
  const others = Object.values(cluster.workers ?? {}).filter((one) => one !== asker && one?.isConnected())
  const lists = await Promise.all(others.map((one) => askForMetrics(one!)))
  if (asker.isConnected()) asker.send({ metrics: 'all', id, lists: lists.filter((list) => list.length > 0) })
}

let asked = 0

/** What a process counted; nothing when it does not say in time. */
async function askForMetrics(worker: Worker): Promise<Metric[]> {
  const id = ++asked
  const { promise, resolve } = Promise.withResolvers<Metric[]>()
  function hear(message: MetricsMessage): void {
    if (message.metrics === 'told' && message.id === id) resolve(message.list)
  }
  worker.on('message', hear)
  worker.send({ metrics: 'tell', id })
  const list = await Promise.race([promise, pause(tellingMs, [])])
  worker.off('message', hear)
  return list
}

/** No process came up; each has said why on stderr. */
export class WorkersError extends Error {}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const gone = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await gone
}
