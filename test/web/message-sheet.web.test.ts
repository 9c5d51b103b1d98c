import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, db, user } from '../support/world.ts'
import { expectAccessible, messageOf, noteStatus, openPage, twoInHouse } from './support.ts'

const phone = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true }

/** A finger on the screen. */
async function fingerOn(page: Page) {
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints })
  return {
    down: (x: number, y: number) => touch('touchStart', { x, y }),
    move: (x: number, y: number) => touch('touchMove', { x, y }),
    up: () => touch('touchEnd'),
  }
}

async function middleOf(page: Page, text: string) {
  const { x, y, width, height } = (await messageOf(page, text).locator('.content').boundingBox())!
  return [x + Math.min(width / 2, 30), y + height / 2] as const
}

test('a finger that rests on a message opens its actions as a sheet, and selects nothing', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  for (const who of [ann, bob]) {
    await call(who, 'POST', `/rooms/${den.room_id}/messages`, { content: `words of ${who.username}` })
  }
  const page = await openPage(path, { as: ann, ...phone })
  const text = `words of ${bob.username}`
  await messageOf(page, text).waitFor()
  const finger = await fingerOn(page)
  await finger.down(...(await middleOf(page, text)))
  const sheet = page.getByRole('dialog', { name: 'Actions for the message of Bob' })
  await sheet.waitFor()
  await finger.up()
  expect(await page.evaluate('String(getSelection())')).toBe('')
  const items = sheet.getByRole('menuitem')
  // What one may not do with the message of somebody else is absent; Ann owns the house.
  expect(await items.allTextContents()).toEqual([
    'Reply',
    'Add reaction',
    'Copy text',
    'Copy link',
    'Pin',
    'Delete',
    'About Bob',
  ])
  for (const item of await items.all()) {
    expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  const box = (await sheet.boundingBox())!
  expect([box.x, box.width, box.y + box.height]).toEqual([0, 375, 667])
  await expectAccessible(page)
  await items.filter({ hasText: 'Delete' }).tap()
  await page.getByRole('dialog', { name: 'Delete message' }).getByRole('button', { name: 'Delete' }).tap()
  await messageOf(page, text).waitFor({ state: 'detached' })

  // A touch beside the sheet closes it.
  await finger.down(...(await middleOf(page, `words of ${ann.username}`)))
  const own = page.getByRole('dialog', { name: 'Actions for the message of Ann' })
  await own.waitFor()
  await finger.up()
  await page.touchscreen.tap(180, 40)
  await own.waitFor({ state: 'detached' })
})

test('a finger that scrolls, or that is lifted soon, opens nothing', async () => {
  const { ann, den, path } = await twoInHouse()
  for (let count = 0; count < 30; count += 1) {
    await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: `line ${count}.` })
  }
  const page = await openPage(path, { as: ann, ...phone })
  await messageOf(page, 'line 29.').waitFor()
  // Time passes only where it says so, however slow the machine is.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
  const finger = await fingerOn(page)
  const [x, y] = await middleOf(page, 'line 25.')
  const top = () => page.getByRole('log').evaluate((log) => log.scrollTop)
  const before = await top()
  await finger.down(x, y)
  for (let step = 1; step <= 10; step += 1) await finger.move(x, y + step * 12)
  const pressed = page.locator('.message[data-pressed]')
  await expect.poll(top).toBeLessThan(before)
  await expect.poll(() => pressed.count()).toBe(0)
  await page.clock.fastForward(2_000)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await finger.up()
  await finger.down(x, y)
  await finger.up()
  // The page may handle the touch later than the browser has taken it.
  await expect.poll(() => pressed.count()).toBe(0)
  await page.clock.fastForward(2_000)
  expect(await page.getByRole('dialog').count()).toBe(0)
  // While the finger rests, nothing can be selected.
  await finger.down(x, y)
  type Style = { getComputedStyle(element: unknown): { userSelect: string } }
  const selectable = () =>
    pressed.evaluate((each) => (globalThis as unknown as Style).getComputedStyle(each).userSelect)
  expect(await selectable()).toBe('none')
  await page.clock.fastForward(2_000)
  await page.getByRole('dialog').waitFor()
})

test('a finger that rests on a reaction shows who reacted, and takes nothing back', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const url = `/rooms/${den.room_id}/messages`
  const { id } = (await call(ann, 'POST', url, { content: 'cake' })).body.data
  for (const who of [ann, bob]) await call(who, 'PUT', `${url}/${id}/reactions/${encodeURIComponent('🍕')}`)
  const page = await openPage(path, { as: ann, ...phone })
  const reaction = messageOf(page, 'cake').getByRole('button', { name: '2 people reacted with 🍕' })
  const { x, y, width, height } = (await reaction.boundingBox())!
  const finger = await fingerOn(page)
  await finger.down(x + width / 2, y + height / 2)
  const dialog = page.getByRole('dialog', { name: 'Who reacted' })
  await dialog.getByText('Bob, Ann').waitFor()
  await finger.up()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).tap()
  await dialog.waitFor({ state: 'detached' })
  expect(await reaction.getAttribute('aria-pressed')).toBe('true')
  await reaction.tap()
  await messageOf(page, 'cake').getByRole('button', { name: '1 person reacted with 🍕' }).waitFor()
})

test('the bar leads a mouse to the menu, and there to all who reacted', async () => {
  const { ann, den, path } = await twoInHouse()
  const url = `/rooms/${den.room_id}/messages`
  const { id } = (await call(ann, 'POST', url, { content: 'cake' })).body.data
  await call(ann, 'PUT', `${url}/${id}/reactions/${encodeURIComponent('🍕')}`)
  const people = []
  for (let count = 0; count < 120; count += 1) people.push(await user({ name: `guest ${count}.` }))
  const key = { room_id: den.room_id, message_id: id, emoji: '🍕' }
  const rows = people.map(({ id: user_id }) => ({ ...key, user_id }))
  await db.insertInto('reactions').values(rows).execute()
  await db.updateTable('reaction_counts').set({ count: 121 }).where('message_id', '=', id).execute()
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'cake').hover()
  await messageOf(page, 'cake').getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Who reacted' }).click()
  const dialog = page.getByRole('dialog', { name: 'Who reacted' })
  await dialog.getByText('guest 119.').waitFor()
  expect(await dialog.getByText('guest 0.').count()).toBe(0)
  await dialog.getByRole('button', { name: 'More' }).click()
  await dialog.getByText('guest 0.').waitFor()
  expect(await dialog.getByRole('button', { name: 'More' }).count()).toBe(0)
})

test('says that a text or a link is copied; where nothing can be, it is there to be taken by hand', async () => {
  const { ann, den, path } = await twoInHouse()
  await call(ann, 'POST', `/rooms/${den.room_id}/messages`, { content: 'words' })
  const page = await openPage(path, { as: ann })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const bar = messageOf(page, 'words').getByRole('group', { name: 'Actions for the message of Ann' })
  await messageOf(page, 'words').hover()
  const said = await noteStatus(page)
  await bar.getByRole('button', { name: 'Copy text' }).click()
  await expect.poll(said).toContain('Copied')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('words')
  // As where the page does not come over https.
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
  await bar.getByRole('button', { name: 'Copy link' }).click()
  const field = page.getByRole('dialog').getByRole('textbox', { name: 'Copy link' })
  expect(await field.inputValue()).toContain('?message=')
})
