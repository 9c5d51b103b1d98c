/**
 * A metric in the form in which prom-client passes it between processes. Values are summed unless `aggregator` says
 * otherwise.
 */
export type Metric = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  aggregator: 'sum' | 'max'
  values: { labels: Record<string, string | number>; value: number; metricName?: string }[]
}

/** Counts by key. */
export class Counter {
  readonly #counts = new Map<string | number, number>()

  add(key: string | number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  entries(): [key: string | number, count: number][] {
    return [...this.#counts]
  }
}

/** A histogram: counts values by size, in an array of fixed length. */
export class Histogram {
  readonly #bounds: readonly number[]
  /** For each bound the number of values up to it (and above the bound before it); last, those above all bounds. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  add(value: number): void {
    let place = 0
    while (place < this.#bounds.length && value > this.#bounds[place]!) place += 1
    this.#counts[place]! += 1
    this.#sum += value
  }

  /** The series in the form of prom-client, with these labels; none while nothing was counted. */
  values(name: string, labels: Record<string, string>): Metric['values'] {
    let count = 0
    const buckets = [...this.#bounds, '+Inf'].map((le, place) => {
      count += this.#counts[place]!
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
    })
    if (count === 0) return []
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
}
