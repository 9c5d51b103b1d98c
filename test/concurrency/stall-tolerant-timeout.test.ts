import { afterEach, expect, test, vi } from 'vitest'
import { stallTolerantTimeout } from '../../src/concurrency/stall-tolerant-timeout.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a process on time gives up when the time is over, and not before', async () => {
  vi.useFakeTimers()
  const giveUp = vi.fn()
  stallTolerantTimeout(1_500, giveUp)
  await vi.advanceTimersByTimeAsync(1_490)
  expect(giveUp).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(30)
  expect(giveUp).toHaveBeenCalledOnce()
})

test('a wait that is over before its time gives nothing up', async () => {
  vi.useFakeTimers()
  const giveUp = vi.fn()
  const stopWaiting = stallTolerantTimeout(100, giveUp)
  await vi.advanceTimersByTimeAsync(50)
  stopWaiting()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(giveUp).not.toHaveBeenCalled()
})
