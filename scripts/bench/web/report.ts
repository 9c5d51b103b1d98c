import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { median } from '../../percentile.ts'
import { machine, type Row, targetTable, webHeading } from '../report.ts'
import type { FirstLoad } from './measures.ts'

/** How many times slower than it is the processor of the page is made. */
export const slowdown = 4
/** After so many switches of rooms the heap must be what it was. */
export const switchCount = 1_000

/** The measurements of one page: 95th percentiles for keys and frames, medians for the rest. */
export type Round = FirstLoad & {
  keyMs: number
  sendMs: number
  switchMs: number
  frameMs: number
  /** Of a page with a bare list of as many messages. */
  bareFrameMs: number
  /** The most messages in the DOM at once. */
  mostRows: number
}

type WebReport = {
  startedAt: string
  quick: boolean
  /** The part of the processor time of the run that the host of a virtual machine gave to others. */
  stolen: number
  /** The load average over a minute, before and after. */
  load: [number, number]
  /** Of its processes, from -20 to 19. */
  priority: number
  browser: string
  rounds: Round[]
  heap: { beforeMb: number; afterMb: number }
}

/** A page without a GPU may not reach it, as the bare list shows then; what counts is the ratio to that. */
const frameTargetMs = 20

/** The lines of the table of targets. */
export function rowsOf({ rounds, heap }: WebReport): Row[] {
  const row = (title: string, key: keyof Round, unit: string, target: number): Row => {
    const values = rounds.map((round) => round[key])
    const [least, most] = [Math.min(...values), Math.max(...values)]
    const subject = `${least.toFixed(1)} – ${most.toFixed(1)}${unit}`
    return { title, subject, yardstick: '–', value: median(values), unit, target, higherIsBetter: false }
  }
  const once = (title: string, value: number, unit: string, target: number): Row => {
    return { title, subject: '–', yardstick: '–', value, unit, target, higherIsBetter: false }
  }
  return [
    row('Scripts of the first load, gzip', 'scriptKb', ' kB', 90),
    row('Styles of the first load, gzip', 'styleKb', ' kB', 15),
    row('Requests of the first load, the websocket included', 'requests', '', 8),
    row('From the navigation to composer and messages, empty cache', 'usableMs', ' ms', 1_500),
    row('From a key in the composer to the next frame, p95', 'keyMs', ' ms', 32),
    row('From Enter to the frame with the own message', 'sendMs', ' ms', 50),
    row('From a click on a known room to the frame with its newest message', 'switchMs', ' ms', 100),
    frameRow(
      rounds,
      row('Between frames while 10,000 messages are scrolled, p95', 'frameMs', ' ms', frameTargetMs),
    ),
    row('Messages in the DOM meanwhile, at most', 'mostRows', '', 120),
    once(`Heap after ${switchCount.toLocaleString('en')} switches of rooms`, heap.afterMb, ' MB', 60),
    once('… ÷ before them', heap.afterMb / heap.beforeMb, '', 1.1),
  ]
}

/** The time between frames, or its ratio to that of the bare list where even that list takes too long. */
function frameRow(rounds: Round[], row: Row): Row {
  const bareMs = median(rounds.map((round) => round.bareFrameMs))
  const yardstick = `bare list: ${bareMs.toFixed(1)} ms`
  if (bareMs <= frameTargetMs) return { ...row, yardstick }
  const value = median(rounds.map((round) => round.frameMs / round.bareFrameMs))
  return { ...row, title: `${row.title}, ÷ bare list`, yardstick, value, unit: '', target: 1.2 }
}

/** Writes the section of the web client in `docs/performance.md`, and the raw figures. */
export async function writeWebReport(docs: string, report: WebReport): Promise<void> {
  await writeFile(join(docs, 'performance', 'web.json'), `${JSON.stringify(report, null, 2)}\n`)
  const file = join(docs, 'performance.md')
  const [before = ''] = (await readFile(file, 'utf8')).split(webHeading)
  await writeFile(file, `${before.trimEnd()}\n\n${section(report)}`)
}

function section(report: WebReport): string {
  const { startedAt, quick, load, stolen, priority, browser, rounds } = report
  return `${webHeading}

Written by \`npm run bench -- --web${quick ? ' --quick' : ''}\` on ${startedAt.slice(0, 10)}; the raw figures are in
[performance/web.json](performance/web.json). Server and browser share the machine. The page is that of a member of two
houses of 1,000 members and 50 rooms each, at 1280 × 800 pixels, with a member list.

- Machine: ${machine()}
- Load average before and after the run: ${load.map((each) => each.toFixed(1)).join(', ')}; stolen: ${(stolen * 100).toFixed(1)} %; the run
  had the priority ${priority}
- ${browser} without a GPU, its processor slowed ${slowdown} times; for the heap not slowed
- The value is the median of ${rounds.length} rounds, each in a new browser profile; beside it the least and the most of the rounds
- The bare list is a page with 10,000 plain rows of the same texts, scrolled by the same turns of the wheel

${targetTable('web client', rowsOf(report))}
`
}
