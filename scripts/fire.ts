// Attacks a server of its own: npm run fire -- [--quick] [--part <name>] [--minutes <n>] [--seed <n>]
// Every part brings up what it needs on loopback, prints its figures, and fails the run when its promise is broken.
import { parseArgs } from 'node:util'
import { BrokenPromise, type Figures, type Part, type Size } from './fire/part.ts'
import { parts } from './fire/parts.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string', multiple: true },
    minutes: { type: 'string' },
    seed: { type: 'string' },
  },
})

const size: Size = {
  quick: values.quick,
  minutes: values.minutes === undefined ? null : Number(values.minutes),
  seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed),
}
const wanted = values.part ?? parts.map((part) => part.name)
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0 || Number.isNaN(size.minutes) || Number.isNaN(size.seed)) {
  console.error(`Usage: npm run fire -- [--quick] [--part <name>] [--minutes <n>] [--seed <n>]
Parts: ${parts.map((part) => part.name).join(', ')}`)
  process.exit(2)
}

console.log(`seed ${size.seed}, ${size.quick ? 'quick' : 'long'}`)
let broken = 0
for (const part of parts.filter(({ name }) => wanted.includes(name))) {
  if (!(await holds(part))) broken += 1
}
console.log(broken === 0 ? 'every promise held' : `${broken} promises broken`)
process.exit(broken === 0 ? 0 : 1)

async function holds(part: Part): Promise<boolean> {
  const started = Date.now()
  console.log(`\n${part.name}: ${part.promise}`)
  try {
    print(await part.run(size))
    return true
  } catch (error) {
    if (error instanceof BrokenPromise) print(error.figures)
    console.error(`  BROKEN: ${error instanceof BrokenPromise ? error.message : (error as Error).stack}`)
    return false
  } finally {
    console.log(`  took ${((Date.now() - started) / 1000).toFixed(1)} s`)
  }
}

function print(figures: Figures): void {
  for (const [name, figure] of Object.entries(figures)) console.log(`  ${name}: ${figure}`)
}
