import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** A line in so many files. */
const every = 20

/** Says how many of the test files are done (in a terminal the default reporter does), and how to run alone what failed. */
export function reportProgress(): Reporter {
  let [done, all] = [0, 0]
  let vitest: Vitest
  return {
    onInit(of) {
      vitest = of
    },
    onTestRunStart(specifications) {
      all = specifications.length
    },
    onTestModuleEnd() {
      done += 1
      if (!process.stdout.isTTY && done % every === 0) process.stdout.write(`${done} of ${all} test files\n`)
    },
    onTestRunEnd(modules) {
      const commands = modules.filter((module) => !module.ok()).map((module) => commandOf(module, vitest))
      if (commands.length > 0) process.stdout.write(`\nIn this order alone:\n${commands.join('\n')}\n`)
    },
  }
}

function commandOf({ project, relativeModuleId }: TestModule, { config }: Vitest): string {
  return `  npx vitest run --project ${project.name} --sequence.seed ${config.sequence.seed} ${relativeModuleId}`
}
