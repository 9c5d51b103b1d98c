import { expect, test, vi } from 'vitest'
import { noticeLosses } from '../../src/events/losses.ts'

test('what one process lost is noticed, however many others are heard in between', async () => {
  const onLoss = vi.fn()
  const losses = noticeLosses(1, onLoss)
  losses.came('lost', 1)
  for (let other = 0; other < 100; other++) losses.came(`other ${other}`, 1)
  losses.came('lost', 3)
  await expect.poll(() => onLoss).toHaveBeenCalledOnce()
})
