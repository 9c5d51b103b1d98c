import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { renderAggregated, renderMetrics } from '../../../src/http/metrics/render-metrics.ts'

/** A registry with a histogram of some 2,400 lines. */
function filled(): Registry {
  const registers = [new Registry()]
  const seconds = new Histogram({ name: 's', help: 'Seconds', labelNames: ['route'], registers })
  for (let n = 0; n < 171; n += 1) seconds.observe({ route: `/${n}` }, n / 100)
  new Counter({ name: 'c', help: 'Count', registers }).inc(3)
  new Gauge({ name: 'g', help: 'None', labelNames: ['x'], registers })
  return registers[0]!
}

/** The number of turns that other work had in the meantime. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise(setImmediate)
    turns += 1
  }
  return turns
}

test('the metrics are as their library writes them, and many lines are written in several turns', async () => {
  const registry = filled()
  const rendering = renderMetrics(registry)
  expect(await turnsDuring(rendering)).toBeGreaterThanOrEqual(6)
  expect((await rendering).split('\n').toSorted()).toEqual((await registry.metrics()).split('\n').toSorted())
  expect(await rendering).toContain('\n\n# HELP c Count\n# TYPE c counter\nc 3\n')
})

test('those of several processes are aggregated, in several turns', async () => {
  const lists = [await filled().getMetricsAsJSON(), await filled().getMetricsAsJSON()]
  const rendering = renderAggregated(lists)
  expect(await turnsDuring(rendering)).toBeGreaterThanOrEqual(6)
  const whole = await AggregatorRegistry.aggregate(lists).metrics()
  expect((await rendering).split('\n').toSorted()).toEqual(whole.split('\n').toSorted())
  expect(await rendering).toContain('\nc 6\n')
})
