import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const memory = join(import.meta.dirname, '../../src/process/memory.ts')

test('an idle process gives back the memory that it does not use', async () => {
  const script = `
    import { returnIdleMemory } from '${memory}'
    const residentMb = () => process.memoryUsage.rss() / 1024 / 1024
    let garbage = Array.from({ length: 12 }, () => new Array(1_000_000).fill(0.5))
    const before = residentMb()
    garbage = undefined
    // The first check counts what the process has used until then.
    returnIdleMemory()
    // After the first check, which is due a second after the start.
    setTimeout(() => console.log(before - residentMb()), 1_500)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect(Number(await text(child.stdout))).toBeGreaterThan(60)
})
