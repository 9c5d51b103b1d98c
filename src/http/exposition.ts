import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { Metric } from './counters.ts'

/** Node's own metrics: memory, processor, handles, garbage collections. */
const nodeMetrics = new Registry()
collectDefaultMetrics({ register: nodeMetrics })

/** The metrics of this process: what it counted, and Node's own. */
export async function collectMetrics(counted: Metric[]): Promise<Metric[]> {
  return [...counted, ...((await nodeMetrics.getMetricsAsJSON()) as unknown as Metric[])]
}

/** The metrics of one process, or of several aggregated, in the text format of Prometheus. */
export async function toText([first, ...others]: Metric[][]): Promise<{ type: string; text: string }> {
  const registry = others.length > 0 ? AggregatorRegistry.aggregate([first!, ...others]) : new Registry()
  if (others.length === 0) {
    for (const metric of first!) registry.registerMetric({ get: async () => metric, ...metric } as never)
  }
  return { type: registry.contentType, text: await registry.metrics() }
}
