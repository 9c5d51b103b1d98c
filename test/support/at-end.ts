import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Runs something at the end of the test, or, where none is running, of the file. */
export function atEnd(close: () => unknown): void {
  const run = async () => void (await close())
  if (TestRunner.getCurrentTest()) onTestFinished(run)
  else afterAll(run)
}
