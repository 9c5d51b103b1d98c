import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { Metric } from './tallies.ts'

/** What Node itself can say of a process: memory, processor, handles, garbage collections. */
const ofProcess = new Registry()
collectDefaultMetrics({ register: ofProcess })

/** What this process has to say: what it counted, and what Node knows of it. */
export async function collectMetrics(counted: Metric[]): Promise<Metric[]> {
  return [...counted, ...((await ofProcess.getMetricsAsJSON()) as unknown as Metric[])]
}

/** The metrics of one process, or of several added up, as Prometheus reads them. */
export async function toText([first, ...others]: Metric[][]): Promise<{ type: string; text: string }> {
  const registry = others.length > 0 ? AggregatorRegistry.aggregate([first!, ...others]) : new Registry()
  if (others.length === 0) {
    for (const metric of first!) registry.registerMetric({ get: async () => metric, ...metric } as never)
  }
  return { type: registry.contentType, text: await registry.metrics() }
}
