import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, logOf, messageOf, openPage, sendAll, settled, twoInHouse } from './support.ts'

const lines = `first${'\n'.repeat(1_000)}last`
const code = `before\n\`\`\`\n${'x\n'.repeat(600)}\`\`\`\nafter`
const words = 'a long text '.repeat(300)

async function boxOf(element: Locator) {
  return (await element.boundingBox())!
}

test('tall messages and long code are folded until one wants to see them, and nothing jumps', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await sendAll(bob, den.room_id, code, words, `short${'\nline'.repeat(20)}`, lines)
  const page = await openPage(path, { as: ann, viewport: { width: 375, height: 667 } })
  const [ofCode, ofLines] = ['before', 'first'].map((text) => messageOf(page, text))
  const toggle = (message: Locator | undefined) =>
    message!.getByRole('button', { name: /^Show (?:all|less)$/ })
  await toggle(ofLines).waitFor()
  await settled(page)
  await expect.poll(() => logOf(page).evaluate((log) => log.scrollHeight)).toBeLessThan(2_500)
  await expectAccessible(page)

  // At the end of the timeline, what one begins to read stays where it is.
  await logOf(page).evaluate((log) => log.scrollTo(0, log.scrollHeight))
  await settled(page)
  const before = await boxOf(ofLines!)
  await toggle(ofLines).focus()
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await boxOf(ofLines!)).height).toBeGreaterThan(10_000)
  await settled(page)
  expect((await boxOf(ofLines!)).y).toBeCloseTo(before.y, 0)
  expect(await toggle(ofLines).getAttribute('aria-expanded')).toBe('true')

  // What folds a text stays where it is.
  await foldFrom(ofLines!)

  // A code is folded by itself, and what follows it is seen.
  await ofCode!.getByText('after').scrollIntoViewIfNeeded()
  expect((await boxOf(ofCode!)).height).toBeLessThan(560)
  await toggle(ofCode).click()
  await expect.poll(async () => (await boxOf(ofCode!)).height).toBeGreaterThan(10_000)
  expect(await toggle(ofCode).filter({ visible: true }).count()).toBe(1)
  // It stays so while the window changes.
  await page.setViewportSize({ width: 1280, height: 800 })
  await ofCode!.getByText('before').scrollIntoViewIfNeeded()
  expect((await boxOf(ofCode!)).height).toBeGreaterThan(10_000)
  await foldFrom(ofCode!)
  expect(await toggle(messageOf(page, 'short')).filter({ visible: true }).count()).toBe(0)

  async function foldFrom(message: Locator): Promise<void> {
    const less = toggle(message).filter({ visible: true })
    await less.scrollIntoViewIfNeeded()
    await settled(page)
    const before = await boxOf(less)
    await less.press('Enter')
    await expect.poll(async () => (await boxOf(message)).height).toBeLessThan(620)
    await settled(page)
    expect(Math.abs((await boxOf(toggle(message).filter({ visible: true }))).y - before.y)).toBeLessThan(40)
  }
})

test('a link beyond the fold that gets the focus is shown', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await sendAll(bob, den.room_id, `top\n\n${'line\n'.repeat(60)}https://example.org/below`)
  const page = await openPage(path, { as: ann })
  const link = messageOf(page, 'top').getByRole('link', { name: 'https://example.org/below' })
  await messageOf(page, 'top').getByRole('button', { name: 'Show all' }).waitFor()
  await link.focus()
  await messageOf(page, 'top').getByRole('button', { name: 'Show less' }).waitFor()
  await expect.poll(async () => (await boxOf(link)).y).toBeLessThan(800)
})
