import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Figures, Part, Row, Size } from './part.ts'

const file = join(import.meta.dirname, '../../docs/promises.md')
const marked = /(<!-- figures -->\n)(.*)(<!-- \/figures -->)/s
const head = ['| part | result | figures | run |', '| --- | --- | --- | --- |']

/** The outcome of a part. */
export type Outcome = { part: Part; figures: Figures; broken: string | null; seconds: number }

/** Writes the figures of a run into docs/promises.md: a row for each part, in place of the row of an earlier run. */
export async function writeFigures(outcomes: Outcome[], size: Size): Promise<void> {
  const text = await readFile(file, 'utf8')
  const rows = readRows(marked.exec(text)?.[2] ?? '')
  for (const outcome of outcomes) rows.set(outcome.part.name, describe(outcome, size))
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  const table = [...head, ...sorted].join('\n')
  await writeFile(
    file,
    text.replace(marked, (_all, begin, _old, end) => `${begin}\n${table}\n\n${end}`),
  )
}

/** The rows of the table, by part. */
function readRows(table: string): Map<string, string> {
  return new Map([...table.matchAll(/^\| `(\w+)` \|.*$/gm)].map((match) => [match[1]!, match[0]]))
}

function describe({ part, figures, broken, seconds }: Outcome, size: Size): string {
  const options = [
    ...(size.quick ? ['--quick'] : []),
    ...(size.minutes === null ? [] : [`--minutes ${size.minutes}`]),
    `--seed ${size.seed}`,
  ]
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`
  const day = new Date().toISOString().slice(0, 10)
  const result = broken === null ? 'held' : `**broken: ${broken}**`
  const run = [
    day,
    `${Math.round(seconds)} s`,
    `\`${options.join(' ')}\``,
    machine,
    `Node ${process.version}`,
  ]
  return rowOf(part.name, result, figures, run)
}

/** A row of the table. Each figure and each fact about the run has a line of its own. */
function rowOf(name: string, result: string, figures: Figures, run: string[]): string {
  const cells = [`\`${name}\``, result, summarize(figures).join('\n'), run.join('\n')]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', '<br>')).join(' | ')} |`
}

/** The single figures, and of those that are rows the range of each column. The seed is shown with the run. */
function summarize(figures: Figures): string[] {
  const rows = Object.values(figures).filter((figure) => typeof figure === 'object')
  const single = Object.entries(figures).flatMap(([name, figure]) =>
    typeof figure === 'object' || name === 'seed' ? [] : [`${name}: ${figure}`],
  )
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [...single, ...columns.flatMap((column) => rangeOf(column, rows))]
}

/** Of numbers the least and the greatest, of equal texts the text, of others nothing. */
function rangeOf(column: string, rows: Row[]): string[] {
  const values = rows.map((row) => row[column] ?? '')
  const numbers = values.map((value) => Number.parseFloat(String(value)))
  const isText = (value: string | number) => !/^-?[\d.]+(?: \w+)?$/.test(String(value))
  if (values.some(isText)) return new Set(values).size === 1 ? [`${column}: ${values[0]}`] : []
  const unit = /[a-z]+$/i.exec(String(values[0]))?.[0] ?? ''
  const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)]
  const range = least === greatest ? String(least) : `${least} to ${greatest}`
  return [`${column}: ${range}${unit && ` ${unit}`}`]
}
