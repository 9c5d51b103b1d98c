import cluster from 'node:cluster'
import type { Metric } from './tallies.ts'

/** What processes that share a port, and the one that started them, say to each other about metrics. */
export type MetricsMessage =
  | { metrics: 'ask' | 'tell'; id: number }
  | { metrics: 'told'; id: number; list: Metric[] }
  | { metrics: 'all'; id: number; lists: Metric[][] }

/** How long an asker waits for the others, in ms: a little longer than the process that asks them for it. */
const patienceMs = 2_500

let asked = 0

/** Tells the metrics of this process whenever another one of its port is asked for them. Gives how to stop. */
export function tellFellows(collect: () => Promise<Metric[]>): () => void {
  if (!cluster.isWorker) return () => {}
  async function answer(message: MetricsMessage): Promise<void> {
    if (message.metrics !== 'tell') return
    send({ metrics: 'told', id: message.id, list: await collect() })
  }
  process.on('message', answer)
  return () => process.off('message', answer)
}

/** The metrics of the other processes that share the port; what does not come in time is left out. */
export function askFellows(): Promise<Metric[][]> {
  if (!cluster.isWorker) return Promise.resolve([])
  const id = ++asked
  return new Promise((resolve) => {
    function finish(lists: Metric[][]): void {
      clearTimeout(timer)
      process.off('message', hear)
      resolve(lists)
    }
    function hear(message: MetricsMessage): void {
      if (message.metrics === 'all' && message.id === id) finish(message.lists)
    }
    const timer = setTimeout(() => finish([]), patienceMs)
    process.on('message', hear)
    send({ metrics: 'ask', id })
  })
}

function send(message: MetricsMessage): void {
  if (process.connected) process.send?.(message)
}
