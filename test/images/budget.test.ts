import { beforeEach, expect, test } from 'vitest'
import { budgetOf, withinBudget, withoutBudget } from '../../src/images/budget.ts'
import { makeIcon } from '../../src/images/picture.ts'
import { otherApp } from '../support/other-app.ts'
import { animation, picture, plainPng } from '../support/pictures.ts'
import { failure, house, user } from '../support/world.ts'

let time = Date.UTC(2026, 0, 1)
const { app, call } = await otherApp({ rateLimit: true }, { now: () => time })
const longestWork = 200
const refused = failure('rate_limit', 'You are being rate limited')

beforeEach(() => {
  time += 86_400_000
})

test('pictures of an account, its bots and houses are refused once its time is used, those of others made', async () => {
  const [ann, ben] = [await user(), await user()]
  const [bot, den] = [await user({ bot_of: ann }), await house({ owner: ann })]
  const icon = (await picture()).toString('base64')
  await app.limits.pictures.count(ann.id, { count: 800 - longestWork })
  expect((await call(bot, 'PATCH', '/users/@me', { icon })).status).toBe(200)

  const requests = [
    [bot, 'PATCH', '/users/@me', { icon }],
    [ann, 'PATCH', '/users/@me', { header: icon }],
    [ann, 'PATCH', `/bots/${bot.id}`, { icon }],
    [ann, 'PATCH', `/houses/${den.id}`, { name: 'Den', icon }],
    [ann, 'POST', '/houses', { name: 'Den', icon }],
    [ann, 'POST', `/houses/${den.id}/webhooks`, { name: 'Bell', room_id: den.room_id, icon }],
  ] as const
  for (const [who, method, path, body] of requests) {
    const { status, body: answer } = await call(who, method, path, body)
    expect([status, answer], `${method} ${path}`).toMatchObject([429, refused])
  }
  expect((await call(ann, 'GET', '/users/@me')).body.data.header).toBe(null)
  expect((await call(ann, 'PATCH', '/users/@me', { bio: 'no picture' })).status).toBe(200)
  expect((await call(ben, 'PATCH', '/users/@me', { icon })).status).toBe(200)

  time += longestWork * 6_000
  expect((await call(ann, 'PATCH', '/users/@me', { icon })).status).toBe(200)
})

test('of the time for the longest work, what was not needed is given back, also after a failure', async () => {
  const taken: number[] = []
  const limit = {
    count: async (_key: string, { count }: { count: number }) => void taken.push(count),
    giveBack: async (_key: string, count: number) => void taken.push(-count),
  }
  await expect(
    withinBudget(
      budgetOf('1', limit, async () => {}),
      () => Promise.reject(new Error('x')),
    ),
  ).rejects.toThrow('x')
  expect(taken).toEqual([longestWork, expect.any(Number)])
  expect(taken[1]).toBeLessThan(-longestWork / 2)
})

test('a picture that takes too long is unavailable, and not called a wrong one', async () => {
  const bytes = await animation('gif', 60, { width: 400, height: 400 })
  await expect(makeIcon(bytes, { ...withoutBudget('slow'), maxWorkMs: 1_000 })).rejects.toMatchObject({
    code: 'unavailable',
  })
})

test('a light picture does not wait for heavy ones of others', async () => {
  const heavy = await plainPng(6_000, 6_000)
  const makeHeavy = (owner: string) => makeIcon(heavy, withoutBudget(owner)).then(() => 'heavy')
  const all = [makeHeavy('1'), makeHeavy('2'), makeHeavy('3')]
  const light = makeIcon(await picture(), withoutBudget('4')).then(() => 'light')
  expect(await Promise.race([Promise.all(all.slice(1)), light])).toBe('light')
  await Promise.all(all)
})
