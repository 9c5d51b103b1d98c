import { describe, expect, test } from 'vitest'
import { compactUser } from '../support/friendships.ts'
import { block, call, uniqueName, user } from '../support/world.ts'

describe.each([
  { word: 'blocked', type: 5, other: 4 },
  { word: 'restricted', type: 4, other: 5 },
] as const)('GET /relationships/@me/$word', ({ word, type, other }) => {
  const path = `/relationships/@me/${word}`

  test('lists compact users by username, of this kind and by the caller only', async () => {
    const [ann, zoe, ben, cat, dan] = await Promise.all(
      ['ann', 'zoe', 'ben', 'cat', 'dan'].map((begin) => user({ username: uniqueName(begin) })),
    )
    await block(ann!, zoe!, type)
    await block(ann!, ben!, type)
    await block(ann!, cat!, other)
    await block(dan!, ann!, type)
    const answer = await call(ann!, 'GET', path)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: true, data: [compactUser(ben!), compactUser(zoe!)] })
  })

  test('an empty list', async () => {
    expect((await call(await user(), 'GET', path)).body).toEqual({ success: true, data: [] })
  })
})
