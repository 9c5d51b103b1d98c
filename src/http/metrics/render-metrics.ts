import { setImmediate as nextTurn } from 'node:timers/promises'
import { AggregatorRegistry, Registry } from 'prom-client'

type MetricsList = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** What the library needs of a metric to render it. */
type Rendered = { get(): Promise<Values> }
type Values = { name: string; values: unknown[] }

/** After so many lines, other work gets its turn: a histogram by route has thousands. */
const linesPerTurn = 400

export const metricsType = new Registry().contentType

/** The metrics of a process as text. */
export async function renderMetrics(registry: Registry): Promise<string> {
  const parts: string[] = []
  for (const metric of registry.getMetricsAsArray()) parts.push(await renderMetric(metric))
  return `${parts.join('\n\n')}\n`
}

/** The metrics of several processes as text, aggregated one by one. */
export async function renderAggregated(lists: readonly MetricsList[]): Promise<string> {
  const names = new Set(lists.flatMap((list) => list.map(({ name }) => name)))
  const parts: string[] = []
  for (const name of names) {
    const ofName = lists.map((list) => list.filter((metric) => metric.name === name))
    parts.push(await renderMetrics(AggregatorRegistry.aggregate(ofName)))
    await nextTurn()
  }
  return parts.join('\n')
}

async function renderMetric(metric: unknown): Promise<string> {
  const whole = await (metric as Rendered).get()
  const slices: string[] = []
  for (let at = 0; at === 0 || at < whole.values.length; at += linesPerTurn) {
    if (at > 0) await nextTurn()
    const slice = { ...whole, values: whole.values.slice(at, at + linesPerTurn) }
    const text = await write(slice)
    slices.push(at === 0 ? text : withoutHead(text))
  }
  return slices.join('\n')
}

async function write(slice: Values): Promise<string> {
  const registry = new Registry()
  registry.registerMetric({ name: slice.name, get: async () => slice } as never)
  return (await registry.metrics()).trimEnd()
}

/** A slice without its first two lines, the help and the type. */
function withoutHead(text: string): string {
  return text.replace(/^(?:# .*\n){2}/, '')
}
