import type { Reporter } from 'vitest/node'

/** A line in so many files. */
const every = 10

/** Says how many of the test files are done; in a terminal the default reporter does. */
export function reportProgress(): Reporter {
  let [done, all] = [0, 0]
  return {
    onTestRunStart(specifications) {
      all = specifications.length
    },
    onTestModuleEnd() {
      done += 1
      if (!process.stdout.isTTY && done % every === 0) process.stdout.write(`${done} of ${all} test files\n`)
    },
  }
}
