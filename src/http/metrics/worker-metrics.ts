import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Registry } from 'prom-client'

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** A worker asks the others; the primary passes that on, says how many they are, and passes on what each answers. */
type MetricsMessage =
  | { metrics: 'ask'; id: number; asker: number }
  | { metrics: 'asked'; id: number; count: number }
  | { metrics: 'answer'; id: number; asker: number; list: Metrics }

/** How long a worker may take to send its metrics. */
const timeoutMs = 2_000

let asked = 0

/** Answers requests for the metrics of this worker. Returns how to stop. */
export function serveWorkerMetrics(collect: () => Promise<Metrics>): () => void {
  if (!cluster.isWorker) return () => {}
  async function answer(message: MetricsMessage): Promise<void> {
    if (message.metrics === 'ask') send({ ...message, metrics: 'answer', list: await collect() })
  }
  process.on('message', answer)
  return () => process.off('message', answer)
}

/** The metrics of the other workers, without those that do not answer in time; none outside of a cluster. */
export async function collectWorkerMetrics(): Promise<Metrics[]> {
  if (!cluster.worker) return []
  const id = ++asked
  const lists: Metrics[] = []
  let count = Number.POSITIVE_INFINITY
  const { promise: complete, resolve } = Promise.withResolvers<void>()
  function onMessage(message: MetricsMessage): void {
    if (message.metrics === 'ask' || message.id !== id) return
    if (message.metrics === 'asked') count = message.count
    else lists.push(message.list)
    if (lists.length === count) resolve()
  }
  process.on('message', onMessage)
  send({ metrics: 'ask', id, asker: cluster.worker.id })
  await Promise.race([complete, pause(timeoutMs, undefined, { ref: false })])
  process.off('message', onMessage)
  return lists
}

function send(message: MetricsMessage): void {
  if (process.connected) process.send?.(message)
}

/** In the primary: passes the messages of a worker on. */
export function relayWorkerMetrics(from: Worker, message: MetricsMessage): void {
  const connected = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
  if (message.metrics === 'answer') connected.find((worker) => worker?.id === message.asker)?.send(message)
  if (message.metrics !== 'ask') return
  const others = connected.filter((worker) => worker !== from)
  for (const other of others) other?.send(message)
  if (from.isConnected()) from.send({ metrics: 'asked', id: message.id, count: others.length })
}
