import { expect, test } from 'vitest'
import { call } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, sent, twoInHouse, write } from './support.ts'

test('an exploding message says so, and is gone on time without the server', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await page.getByText('Nobody has written here yet.').waitFor()
  await page.clock.install()
  const send = (content: string, more: object = {}) =>
    call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content, ...more })
  await send('stays')
  await send('secret', { exploding: true, exploding_age: 600 })
  await send('below')
  const secret = messageOf(page, 'secret')
  await secret.getByText(/^Explodes \d\d:\d\d$/).waitFor()
  await expect.poll(() => secret.locator('.fuse-left').count()).toBe(1)
  await messageOf(page, 'below').waitFor()
  const before = await messageOf(page, 'below').boundingBox()
  await expectAccessible(page)

  await page.clock.fastForward(300_000)
  expect(await secret.count()).toBe(1)
  await page.clock.fastForward(400_000)
  await expect.poll(() => secret.count()).toBe(0)
  expect(await messageOf(page, 'stays').count()).toBe(1)
  expect((await messageOf(page, 'below').boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0)
})

test('the ring of an exploding message stands still for who wants no motion, and the time stays', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, {
    content: 'secret',
    exploding: true,
    exploding_age: 600,
  })
  const page = await openPage(path, { as: ann })
  const ring = messageOf(page, 'secret').locator('.fuse-left')
  await ring.waitFor()
  type Ring = { getAnimations(): { playState: string }[] }
  const states = () =>
    ring.evaluate((each) => (each as unknown as Ring).getAnimations().map(({ playState }) => playState))
  expect(await states()).toEqual(['running'])
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await states()).toEqual(['paused'])
  await messageOf(page, 'secret')
    .getByText(/^Explodes \d\d:\d\d$/)
    .waitFor()
})

test('the timer is set for one message, not for those after it', async () => {
  const { ann, den, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await page.getByRole('button', { name: 'Exploding messages: Off' }).click()
  await page.getByRole('button', { name: 'After 1 minute' }).click()
  await page.getByRole('button', { name: 'Exploding messages: After 1 minute' }).waitFor()
  await expectAccessible(page)
  await write(page, 'secret')
  await sent(page, 'secret')
  await page.getByRole('button', { name: 'Exploding messages: Off' }).waitFor()
  await write(page, 'to be kept')
  await sent(page, 'to be kept')
  const { data } = (await call(ann, 'GET', `/rooms/${den.room_id}/messages`)).body
  expect(data.map((each: { exploding_age: number | null }) => each.exploding_age)).toEqual([null, 60])
})
