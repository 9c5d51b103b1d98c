import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { LoadResult } from './load.ts'

/** A line of the table of targets. `higherIsBetter` false: the value must stay at or below the target. */
export type Row = {
  title: string
  subject: string
  yardstick: string
  value: number
  unit: string
  target: number
  higherIsBetter: boolean
}

/** What requests took: the median of each figure over the rounds. */
export type Latency = {
  key: string
  title: string
  /** Requests per second ÷ those of the yardstick. */
  rate: number
  result: Pick<LoadResult, 'requestsPerSecond' | 'p50' | 'p90' | 'p99' | 'p999'>
}

/** The longest latency in ms of each stretch of time. */
export type Trace = { pointMs: number; longest: number[] }

export type Report = {
  startedAt: string
  quick: boolean
  /** The part of the processor time of the run that the host of a virtual machine gave to others. */
  stolen: number
  rounds: number
  seconds: number
  load: string
  inserts: string
  node: string
  postgres: string
  connections: number
  rows: Row[]
  latencies: Latency[]
  /** Latencies of sends over time. */
  trace: Trace
  sizes: { title: string; points: { messages: number; p50: number; p99: number }[] }[]
  notes: string[]
}

/** Begins the last section of `docs/performance.md`, which is measured and written apart. */
export const webHeading = '## The web client'

/** Writes `docs/performance.md`, its plots and the raw figures. The section of the web client stays. */
export async function writeReport(docs: string, report: Report): Promise<void> {
  const folder = join(docs, 'performance')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'results.json'), `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(join(folder, 'latency.svg'), latencyPlot(report.latencies))
  await writeFile(join(folder, 'tail.svg'), tracePlot(report.trace))
  if (report.sizes.length > 0) await writeFile(join(folder, 'size.svg'), sizePlot(report.sizes))
  const file = join(docs, 'performance.md')
  const [, webSection] = (await readFile(file, 'utf8').catch(() => '')).split(webHeading)
  const end = webSection === undefined ? '' : `\n${webHeading}${webSection}`
  await writeFile(file, `${page(report).trimEnd()}\n${end}`)
}

/** The machine that this runs on. */
export function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}`
}

function isMet(row: Row): boolean {
  return row.higherIsBetter ? row.value >= row.target : row.value <= row.target
}

/** A table of measures and their targets. */
export function targetTable(subject: string, rows: Row[]): string {
  const figure = (row: Row) => `${row.value.toFixed(2)}${row.unit}`
  const aim = (row: Row) => `${row.higherIsBetter ? '≥' : '≤'} ${row.target.toFixed(2)}${row.unit}`
  const lines = rows.map((row) => {
    return `| ${row.title} | ${row.subject} | ${row.yardstick} | ${figure(row)} | ${aim(row)} | ${isMet(row) ? 'met' : '**missed**'} |`
  })
  return `| measure | ${subject} | yardstick | value | target | |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}`
}

function page(report: Report): string {
  const latencies = report.latencies.map(({ title, rate, result }) => {
    const ms = [result.p50, result.p90, result.p99, result.p999].map((value) => value.toFixed(2)).join(' | ')
    return `| ${title} | ${Math.round(result.requestsPerSecond)} | ${rate.toFixed(2)} | ${ms} |`
  })
  return `# Performance

Written by \`npm run bench${report.quick ? ' -- --quick' : ''}\` on ${report.startedAt.slice(0, 10)}. All figures are from that one run; the raw ones are in
[performance/results.json](performance/results.json). Hearth and the programs that it is compared with ran in turns on
the same machine, with the load generator beside them, so the ratios say more than the figures.

- Machine: ${machine()}
- Stolen during the run (processor time that the host gave to others): ${(report.stolen * 100).toFixed(1)} %
- Node ${report.node}, PostgreSQL ${report.postgres}, \`synchronous_commit\` on
- Load: ${report.load}, ${report.connections} connections, each of which asks again once it is answered
- Single inserts: ${report.inserts}, ${report.connections} connections, into an empty table like \`messages\`, with every index and constraint
  of it but the foreign key
- Bare Fastify sends an answer of the same route through the same response schema, from memory
- The cost of a request is the processor time of the server and of PostgreSQL; that of a bare request is the server's, and that
  of a single insert PostgreSQL's alone
- Requests and deliveries: ${report.rounds} rounds; those of requests last ${report.seconds} s each. The value is the median of the ratios of the
  rounds, and the figures beside it are those of that round

## Targets

${targetTable('Hearth', report.rows)}

Where the time goes: [performance/profile.md](performance/profile.md).

## Latency under load

Each figure is the median of those of the rounds.

| request | requests/s | ÷ yardstick | p50 ms | p90 ms | p99 ms | p99.9 ms |
| --- | --- | --- | --- | --- | --- | --- |
${latencies.join('\n')}

![Latency percentiles](performance/latency.svg)

## Sends over time

The longest latency in each quarter of a second while ${report.connections} connections send.

![Latency over time](performance/tail.svg)

${otherServers(report)}
${report.sizes.length > 0 ? sizeSection : ''}${report.notes.length > 0 ? `\n## Notes\n\n${report.notes.map((note) => `- ${note}`).join('\n')}\n` : ''}`
}

/** What other servers took, measured on 2026-11-21 on a machine of this kind. */
function otherServers({ latencies }: Report): string {
  const rate = (key: string) =>
    Math.round(latencies.find((each) => each.key === key)?.result.requestsPerSecond ?? 0)
  return `## Other servers

Requests per second with 32 connections on a machine of the same kind with two processors, with the defaults of each
server, measured on 2026-11-21; Hearth's are those of this run.

| server | own user | send | page of 50 |
| --- | --- | --- | --- |
| Hearth | ${rate('own-user')} | ${rate('send-100-rooms')} | ${rate('history')} |
| Spacebar | 177–194 | 52–66 | 62–75 |
| Synapse | 824–2,390 | 86–89 | 226–250 |

After that load Spacebar had 554 MB of resident memory, Synapse 179 MB.
`
}

const sizeSection = `## Cost against the size of the data

![p50 and p99 of pages by the number of messages](performance/size.svg)
`

const colors = ['#1f6f8b', '#c8553d', '#588157', '#7b506f', '#d4a017', '#3d405b', '#8d99ae', '#e5989b']

type Line = { title: string; points: { x: number; y: number }[] }

function latencyPlot(latencies: Report['latencies']): string {
  const lines = latencies.map(({ key, result }) => ({
    title: key.replaceAll('-', ' '),
    points: [result.p50, result.p90, result.p99, result.p999].map((y, x) => ({ x, y })),
  }))
  return plot('Latency percentiles (ms, logarithmic)', lines, ['p50', 'p90', 'p99', 'p99.9'])
}

function sizePlot(sizes: Report['sizes']): string {
  const lines = sizes.flatMap(({ title, points }) => [
    { title: `${title} p50`, points: points.map(({ p50 }, x) => ({ x, y: p50 })) },
    { title: `${title} p99`, points: points.map(({ p99 }, x) => ({ x, y: p99 })) },
  ])
  const ticks = sizes[0]?.points.map(({ messages }) => `${messages.toLocaleString('en')} messages`) ?? []
  return plot('Pages of 50 (ms, logarithmic)', lines, ticks)
}

function tracePlot({ pointMs, longest }: Trace): string {
  const points = longest.map((y, x) => ({ x, y }))
  const everyMs = 10_000
  const ticks = longest.map((_, n) => ((n * pointMs) % everyMs === 0 ? `${(n * pointMs) / 1_000} s` : ''))
  return plot('Longest send (ms, logarithmic)', [{ title: 'longest of 250 ms', points }], ticks)
}

/** Lines over named ticks, on a logarithmic scale of milliseconds. */
function plot(title: string, lines: Line[], ticks: string[]): string {
  const [width, height, left, top, bottom] = [860, 380, 60, 40, 50]
  const plotWidth = 460
  const values = lines.flatMap((line) => line.points.map((point) => point.y)).filter((y) => y > 0)
  const low = Math.floor(Math.log10(Math.min(...values, 1)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values, 1))))
  const x = (tick: number) =>
    left + (ticks.length > 1 ? (tick / (ticks.length - 1)) * plotWidth : plotWidth / 2)
  const y = (ms: number) => top + ((high - Math.log10(ms)) / (high - low)) * (height - top - bottom)
  const decades = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n))
  const text = (at: { x: number; y: number }, content: string, anchor = 'start') =>
    `<text x="${at.x.toFixed(0)}" y="${at.y.toFixed(0)}" text-anchor="${anchor}">${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
  const grid = decades.map((ms) => {
    const at = y(ms)
    return `<path d="M${left} ${at.toFixed(1)}h${plotWidth}" stroke="#ddd"/>${text({ x: left - 8, y: at + 4 }, String(ms), 'end')}`
  })
  const labels = ticks.flatMap((tick, n) =>
    tick === '' ? [] : text({ x: x(n), y: height - bottom + 20 }, tick, 'middle'),
  )
  const drawn = lines.map((line, n) => {
    const color = colors[n % colors.length]
    const path = line.points.map(
      (point, i) => `${i === 0 ? 'M' : 'L'}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`,
    )
    const legendY = top + 10 + n * 20
    return `<path d="${path.join('')}" fill="none" stroke="${color}" stroke-width="2"/>
<path d="M${left + plotWidth + 20} ${legendY - 4}h18" stroke="${color}" stroke-width="3"/>${text({ x: left + plotWidth + 44, y: legendY }, line.title)}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
${text({ x: left, y: 22 }, title)}
${[...grid, ...labels, ...drawn].join('\n')}
</svg>
`
}
