import { expect, test, vi } from 'vitest'
import { stallTolerantTimeout } from '../../src/concurrency/stall-tolerant-timeout.ts'
import { someTurns, standStill } from '../support/standstill.ts'

test('a process that stood still for longer does not give up at once', async () => {
  const giveUp = vi.fn()
  const stopWaiting = stallTolerantTimeout(300, giveUp)
  standStill(400)
  await someTurns()
  stopWaiting()
  expect(giveUp).not.toHaveBeenCalled()
})
