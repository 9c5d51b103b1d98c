import { expect, test } from 'vitest'
import { sayStep } from '../../src/process/steps.ts'

test('steps of a start are told at a terminal only', () => {
  let written = ''
  const write = (text: string) => {
    written += text
    return true
  }
  sayStep('one', { isTTY: true, write: write as NodeJS.WriteStream['write'] })
  sayStep('two', { isTTY: false, write: write as NodeJS.WriteStream['write'] })
  expect(written).toBe('one\n')
})
