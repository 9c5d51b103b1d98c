import cluster from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Metric } from './counters.ts'

/**
 * Messages between the workers of a cluster and its primary: a worker sends `ask`, the primary sends `tell` to the
 * others, each replies `told`, and the primary sends them all to the asker.
 */
export type MetricsMessage =
  | { metrics: 'ask' | 'tell'; id: number }
  | { metrics: 'told'; id: number; list: Metric[] }
  | { metrics: 'all'; id: number; lists: Metric[][] }

/** A little longer than the primary waits for the workers. */
const timeoutMs = 2_500

let asked = 0

/** Answers requests for the metrics of this worker. Returns how to stop. */
export function serveWorkerMetrics(collect: () => Promise<Metric[]>): () => void {
  if (!cluster.isWorker) return () => {}
  async function answer(message: MetricsMessage): Promise<void> {
    if (message.metrics !== 'tell') return
    send({ metrics: 'told', id: message.id, list: await collect() })
  }
  process.on('message', answer)
  return () => process.off('message', answer)
}

/** The metrics of the other workers, without those that do not answer in time; none outside of a cluster. */
export async function collectWorkerMetrics(): Promise<Metric[][]> {
  if (!cluster.isWorker) return []
  const id = ++asked
  const { promise, resolve } = Promise.withResolvers<Metric[][]>()
  function onMessage(message: MetricsMessage): void {
    if (message.metrics === 'all' && message.id === id) resolve(message.lists)
  }
  process.on('message', onMessage)
  send({ metrics: 'ask', id })
  const lists = await Promise.race([promise, pause(timeoutMs, [], { ref: false })])
  process.off('message', onMessage)
  return lists
}

function send(message: MetricsMessage): void {
  if (process.connected) process.send?.(message)
}
