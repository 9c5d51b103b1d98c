import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { machine, type Report } from '../report.ts'

/** Latencies in ms, and processor time in µs for each request: of the Hearth that answers, and of what is behind it. */
export type Figures = {
  p50: number
  p99: number
  perSecond: number
  answeringUs: number
  behindUs: number
}

/** One kind of request by so many connections; the figures are of the arrangements in their order. */
export type MeasuredRequest = { title: string; connections: number; figures: Figures[] }

export type MeasuredGroup = { title: string; names: string[]; measured: MeasuredRequest[] }

export type StepsReport = Pick<Report, 'startedAt' | 'quick' | 'stolen' | 'rounds' | 'seconds' | 'load'> & {
  /** Rounds that came to no figure and were repeated; their processor time counts. */
  repeated: number
  groups: MeasuredGroup[]
}

/** Writes `docs/performance/steps.md`. */
export async function writeStepsReport(report: StepsReport): Promise<void> {
  await writeFile(join(import.meta.dirname, '../../../docs/performance/steps.md'), page(report))
}

function page({ startedAt, quick, stolen, rounds, seconds, load, repeated, groups }: StepsReport): string {
  return `# What each step costs

Written by \`npm run bench -- --steps${quick ? ' --quick' : ''}\` on ${startedAt.slice(0, 10)}, for [scaling.md](../scaling.md). All of an arrangement runs on one
machine, with the load beside it, so a row shows what a step costs; what it buys takes further machines, and is not here.

- Machine: ${machine()}
- Stolen during the run (processor time that the host gave to others): ${(stolen * 100).toFixed(1)} %
- Load: ${load}; each connection asks again once it is answered
- ${rounds} rounds of ${seconds} s, in which the arrangements of a table take turns; the figures are medians${
    repeated > 0
      ? `; ${repeated} rounds
  came to no figure and were repeated`
      : ''
  }
- Rate limits are counted and never reached; commits are flushed to the disk
- *Answering* is the processor time of the Hearth that answers, for each request; *behind* that of what is behind it:
  databases, Redis, the other Hearth. The arrangements with Redis share it, and the PostgreSQL of *one Hearth*
${groups.map(section).join('')}`
}

function section({ title, names, measured }: MeasuredGroup): string {
  const lines = measured.flatMap(({ title: request, connections, figures }) =>
    figures.map((figure, n) => {
      const cells = [
        n === 0 ? request : '',
        n === 0 ? String(connections) : '',
        names[n],
        Math.round(figure.perSecond).toLocaleString('en'),
        figure.p50.toFixed(2),
        figure.p99.toFixed(2),
        Math.round(figure.answeringUs).toLocaleString('en'),
        Math.round(figure.behindUs).toLocaleString('en'),
      ]
      return `| ${cells.join(' | ')} |`
    }),
  )
  return `
## ${title}

| request | connections | arrangement | requests/s | p50 ms | p99 ms | answering µs | behind µs |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`
}
