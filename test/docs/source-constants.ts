import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, '../../src')

/** The numeric constants of the server's modules by name; a name may have several values. */
export function readConstants(): Map<string, number[]> {
  const constants = new Map<string, number[]>()
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(?:web|client)/.test(file),
  )
  for (const file of files) {
    const text = readFileSync(join(source, file), 'utf8')
    for (const [, name, product] of text.matchAll(
      /^(?:export )?const (\w+) = ([\d_.]+(?: \* [\d_.]+)*)$/gm,
    )) {
      const number = product!
        .split(' * ')
        .reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1)
      constants.set(name!, [...(constants.get(name!) ?? []), number])
    }
  }
  return constants
}
