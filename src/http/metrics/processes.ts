import type { FastifyInstance } from 'fastify'
import { collectWorkerMetrics } from './worker-metrics.ts'

/** A process of this server. */
type ProcessFigures = { started_at: string; memory_bytes: number; sockets: number }

/** The processes that share the port, this one first; without those that do not answer in time. */
export async function listProcesses(app: FastifyInstance): Promise<ProcessFigures[]> {
  const own = figures(performance.timeOrigin / 1000, process.memoryUsage.rss(), app.gateway.connectionCount)
  const others = (await collectWorkerMetrics()).map((metrics) => {
    const read = (name: string) => metrics.find((each) => each.name === name)?.values[0]?.value ?? 0
    const [started, memory, sockets] = [
      read('process_start_time_seconds'),
      read('process_resident_memory_bytes'),
      read('hearth_sockets'),
    ]
    return figures(started, memory, sockets)
  })
  return [own, ...others]
}

function figures(startedSeconds: number, memory_bytes: number, sockets: number): ProcessFigures {
  return { started_at: new Date(startedSeconds * 1000).toISOString(), memory_bytes, sockets }
}
