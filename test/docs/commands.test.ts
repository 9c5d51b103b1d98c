import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../src/cli/run.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')

/** A command with its options, sorted. */
function shapeOf(name: string, usage: string): string {
  const options = [...usage.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option)
  return [name, ...options.sort()].join(' ')
}

test('docs/operations.md lists exactly the commands and their options', async () => {
  const lines: string[] = []
  const context = { environment: {}, print: (line: string) => lines.push(line), printError: () => {} }
  expect(await run(['help'], context)).toBe(0)
  const offered = lines.flatMap((line) => {
    const [, name, usage] = /^ {2}([a-z-]+)(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [shapeOf(name, usage ?? '')]
  })
  const listed = [...page.matchAll(/^\| `([a-z-]+)((?: [^`]+)?)` \| /gm)].map(([, name, usage]) => {
    return shapeOf(name!, usage!)
  })
  expect(offered.length).toBeGreaterThan(8)
  expect(listed.sort()).toEqual([...offered, 'help'].sort())
})
