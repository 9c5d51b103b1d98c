import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Figures, Part, Size } from './part.ts'

const file = join(import.meta.dirname, '../../docs/promises.md')
const marked = /(<!-- figures -->\n)(.*)(<!-- \/figures -->)/s

/** What came of a part. */
export type Outcome = { part: Part; figures: Figures; broken: string | null; seconds: number }

/** Writes the figures of a run into docs/promises.md, in place of those that its parts had there. */
export async function writeFigures(outcomes: Outcome[], size: Size): Promise<void> {
  const text = await readFile(file, 'utf8')
  const sections = readSections(marked.exec(text)?.[2] ?? '')
  for (const outcome of outcomes) sections.set(outcome.part.name, describe(outcome, size))
  const all = [...sections].sort(([one], [other]) => (one < other ? -1 : 1))
  const figures = all.map(([name, body]) => `### ${name}\n\n${body}\n\n`).join('')
  await writeFile(
    file,
    text.replace(marked, (_all, begin, _old, end) => `${begin}\n${figures}${end}`),
  )
}

/** What stands under each heading, by name. */
function readSections(text: string): Map<string, string> {
  const parts = text.split(/^### /m).slice(1)
  return new Map(
    parts.map((part) => {
      const lineEnd = part.indexOf('\n')
      return [part.slice(0, lineEnd), part.slice(lineEnd).trim()]
    }),
  )
}

function describe({ part, figures, broken, seconds }: Outcome, size: Size): string {
  const options = [
    size.quick ? ' --quick' : '',
    size.minutes === null ? '' : ` --minutes ${size.minutes}`,
    ` --part ${part.name} --seed ${size.seed}`,
  ].join('')
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`
  const day = new Date().toISOString().slice(0, 10)
  const rows = Object.entries(figures).map(([name, figure]) => `| ${cell(name)} | ${cell(String(figure))} |`)
  return `${broken === null ? 'Held' : `**Broken: ${broken}**`}: ${part.promise}.
\`npm run fire --${options}\`, ${Math.round(seconds)} s on ${day}, ${machine}, Node ${process.version}.

| figure | |
| --- | --- |
${rows.join('\n')}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
