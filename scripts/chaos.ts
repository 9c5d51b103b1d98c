// Attacks a server of its own: npm run chaos -- [--quick] [--part <name>] [--minutes <n>] [--seed <n>] [--report]
// --report writes the figures into docs/promises.md.
// Every part brings up what it needs on loopback, prints its figures, and fails the run when its promise is broken.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BrokenPromise, type Figures, type Part, type Size } from './chaos/part.ts'
import { parts } from './chaos/parts.ts'
import { type Outcome, writeFigures } from './chaos/report.ts'
import { assumeBusyMachine } from './chaos/support/own-delay.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string', multiple: true },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    report: { type: 'boolean', default: false },
  },
})

const size: Size = {
  quick: values.quick,
  minutes: values.minutes === undefined ? null : Number(values.minutes),
  seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed),
}
/** A part that hangs is broken. The longest of those that have no end of their own goes on for three hours. */
const limitMs = (size.quick ? 10 : (size.minutes ?? 180) + 30) * 60_000
/** Of those that mostly wait: more of them starve each other where there are two processors. */
const partsAtOnce = 3
const wanted = values.part ?? parts.map((part) => part.name)
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0 || Number.isNaN(size.minutes) || Number.isNaN(size.seed)) {
  console.error(`Usage: npm run chaos -- [--quick] [--part <name>] [--minutes <n>] [--seed <n>] [--report]
Parts: ${parts.map((part) => part.name).join(', ')}`)
  process.exit(2)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

if (size.quick) assumeBusyMachine()
console.log(`seed ${size.seed}, ${size.quick ? 'quick' : 'long'}`)
const chosen = parts.filter(({ name }) => wanted.includes(name))
const outcomes: Outcome[] = []
const beside = chosen.filter((part) => size.quick && goesBeside(part)).values()
await Promise.all(Array.from({ length: partsAtOnce }, () => runAll(beside)))
await runAll(chosen.filter((part) => !size.quick || !goesBeside(part)))
if (values.report) await writeFigures(outcomes, size)
const broken = outcomes.filter((outcome) => outcome.broken !== null).length
console.log(broken === 0 ? 'every promise held' : `${broken} promises broken`)
process.exit(broken === 0 ? 0 : 1)

/** Runs parts one after the other. */
async function runAll(some: Iterable<Part>): Promise<void> {
  for (const part of some) outcomes.push(await run(part))
}

function goesBeside(part: Part): boolean {
  return part.mostlyWaits ?? false
}

async function run(part: Part): Promise<Outcome> {
  const started = Date.now()
  console.log(`${part.name} …`)
  let figures: Figures = {}
  let broken: string | null = null
  try {
    const late = pause(limitMs, undefined, { ref: false }).then(() => {
      throw new BrokenPromise(`it did not end within ${limitMs / 60_000} minutes`)
    })
    figures = await Promise.race([part.run(size), late])
  } catch (error) {
    if (error instanceof BrokenPromise) figures = error.figures
    broken = error instanceof BrokenPromise ? error.message : (error as Error).stack!
  }
  const seconds = (Date.now() - started) / 1000
  console.log(`\n${part.name}: ${part.promise}`)
  print(figures)
  if (broken !== null) console.error(`  BROKEN: ${broken}`)
  console.log(`  took ${seconds.toFixed(1)} s\n`)
  return { part, figures, broken: broken?.split('\n')[0] ?? null, seconds }
}

function print(figures: Figures): void {
  for (const [name, figure] of Object.entries(figures)) {
    const cells = typeof figure === 'object' ? Object.entries(figure).map((each) => each.join(' ')) : [figure]
    console.log(`  ${name}: ${cells.join(', ')}`)
  }
}
