import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client'

type Labels = Record<string, string>
/** A value, or one for each set of labels; those that are not given are not shown. */
type Reading = number | [Labels, number][]
type Options = { labels?: readonly string[]; aggregator?: Aggregator }

type Read = () => Reading

/**
 * What has a value at any time, and is read when it is asked for. `aggregator` says how the values of processes that
 * share a port are put together.
 */
export function readGauge(
  register: Registry,
  name: string,
  help: string,
  read: Read,
  options?: Options,
): void {
  new Gauge({
    ...describe(register, name, help, options),
    collect() {
      this.reset()
      for (const [given, value] of listValues(read())) this.set(given, value)
    },
  })
}

/** The same of a count that only rises. */
export function readCounter(
  register: Registry,
  name: string,
  help: string,
  read: Read,
  options?: Options,
): void {
  new Counter({
    ...describe(register, name, help, options),
    collect() {
      this.reset()
      for (const [given, value] of listValues(read())) this.inc(given, value)
    },
  })
}

function describe(
  register: Registry,
  name: string,
  help: string,
  { labels = [], aggregator = 'sum' }: Options = {},
) {
  return { name, help, aggregator, labelNames: labels, registers: [register] }
}

function listValues(reading: Reading): [Labels, number][] {
  return typeof reading === 'number' ? [[{}, reading]] : reading
}
