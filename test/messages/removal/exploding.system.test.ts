import { expect, test } from 'vitest'
import { listRows } from '../../support/messages.ts'
import { house, message, user } from '../../support/world.ts'

test('an expired message is deleted within a second', async () => {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  const times: number[] = []
  for (let count = 0; count < 5; count += 1) {
    const expiry = Date.now()
    await message(room_id, ann, { expires_at: new Date(expiry) })
    await expect.poll(() => listRows(room_id), { interval: 20 }).toEqual([])
    times.push(Date.now() - expiry)
  }
  // A busy machine delays some of them.
  expect(Math.min(...times)).toBeLessThan(1_000)
})
