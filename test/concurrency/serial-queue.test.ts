import { expect, test } from 'vitest'
import { createSerialQueue } from '../../src/concurrency/serial-queue.ts'

test('one thing is done after the other, and at once when nothing is before it', async () => {
  const turns = createSerialQueue()
  const done: string[] = []
  turns(() => void done.push('at once'))
  expect(done).toEqual(['at once'])
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = turns(() => gates[0]!.promise.then(() => void done.push('first')))
  const second = turns(() => gates[1]!.promise.then(() => void done.push('second')))
  gates[1]!.resolve()
  gates[0]!.resolve()
  await first
  const third = turns(() => void done.push('third'))
  await Promise.all([second, third])
  turns(() => void done.push('fourth'))
  expect(done).toEqual(['at once', 'first', 'second', 'third', 'fourth'])
})
