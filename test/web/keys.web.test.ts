import { expect, test } from 'vitest'
import { call, houseRoom, message, user } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse } from './support.ts'

test('goes to rooms, marks them as read and goes round the page by keys', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const random = await houseRoom(den, { name: 'random' })
  const bugs = await houseRoom(den, { name: 'old-bugs' })
  const page = await openPage(path, { as: ann })
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const rooms = page.getByRole('navigation', { name: 'Rooms' })
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()

  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Room or person' })
  await field.fill('BUG')
  await expect
    .poll(() => page.getByRole('option').allInnerTexts())
    .toEqual([expect.stringContaining('old-bugs')])
  await expectAccessible(page)
  await field.press('Enter')
  await heading('old-bugs')
  // One can write at once where one comes to.
  const composer = (name: string) => page.getByRole('textbox', { name: `Message ${name}` })
  await expect.poll(() => composer('old-bugs').and(page.locator(':focus')).count()).toBe(1)
  await page.keyboard.press('Alt+ArrowUp')
  await heading('random')
  await expect.poll(() => composer('random').and(page.locator(':focus')).count()).toBe(1)
  await page.keyboard.press('Alt+ArrowUp')
  await heading('general')
  expect(await page.title()).toBe('general · Hearth')

  await message(bugs, bob)
  await message(random, bob)
  await page.reload()
  await rooms.getByRole('link', { name: 'old-bugs , unread' }).waitFor()
  await page.keyboard.press('Shift+Escape')
  await rooms.getByRole('link', { name: 'old-bugs', exact: true }).waitFor()
  await rooms.getByRole('link', { name: 'random', exact: true }).waitFor()

  await page.keyboard.press('Control+/')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to a room').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.getByRole('textbox', { name: 'Message general' }).focus()
  const seen: string[] = []
  for (let count = 0; count < 4; count += 1) {
    await page.keyboard.press('Control+F6')
    seen.push(
      await page.evaluate(
        "['rail','rooms','log','composer','members'].find((each) => document.activeElement.closest('.' + each))",
      ),
    )
  }
  expect(seen).toEqual(['members', 'rail', 'rooms', 'log'])
})

test('goes to the next unread room', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await houseRoom(den, { name: 'random' })
  const bugs = await houseRoom(den, { name: 'bugs' })
  await message(bugs, bob)
  const page = await openPage(path, { as: ann })
  await page.getByRole('link', { name: 'bugs , unread' }).waitFor()
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await page.getByRole('heading', { level: 1, name: 'bugs' }).waitFor()
})

test('the focus stays near when what had it goes', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const cat = await user({ name: 'Cat' })
  for (const one of [bob, cat])
    await call(one, 'POST', '/relationships/@me/friend-requests', { user_id: ann.id })
  const page = await openPage('/app/friends', { as: ann })
  const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText')
  await expect.poll(() => page.title()).toBe('Friends · Hearth')
  const decline = page.getByRole('dialog').getByRole('button', { name: 'Decline' })
  await page.getByRole('button', { name: 'Decline: Bob' }).press('Enter')
  await decline.press('Enter')
  await expect.poll(focused).toBe('Decline: Cat')
  await page.keyboard.press('Enter')
  await decline.press('Enter')
  await expect.poll(focused).toBe('Friends')

  await message(den.room_id, ann, { content: 'to be deleted' })
  await page.goto(new URL(path, page.url()).href)
  await messageOf(page, 'to be deleted').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await messageOf(page, 'to be deleted').waitFor({ state: 'detached' })
  const composer = page.getByRole('textbox', { name: 'Message general' })
  await expect.poll(() => composer.and(page.locator(':focus')).count()).toBe(1)
})

test('where there is one column, the focus goes with it', async () => {
  const { ann, den } = await twoInHouse()
  const page = await openPage(`/app/houses/${den.id}`, { as: ann, viewport: { width: 375, height: 667 } })
  const focused = () => page.evaluate('document.activeElement.innerText')
  await page.getByRole('link', { name: 'Settings' }).press('Enter')
  await expect.poll(focused).toBe('Settings')
  await page.getByRole('link', { name: 'Back' }).press('Enter')
  await expect.poll(focused).toBe('Rooms')
})

test('a menu is gone through by arrows, and closes behind the focus', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const opener = page.getByRole('button', { name: 'Den: menu' })
  const item = (name: string) => page.getByRole('button', { name })
  const hasFocus = (name: string) => item(name).and(page.locator(':focus')).waitFor()
  await opener.press('Enter')
  await hasFocus('Invite people')
  await page.keyboard.press('ArrowDown')
  await hasFocus('Create a room')
  await page.keyboard.press('End')
  await page.keyboard.press('Tab')
  await item('Invite people').waitFor({ state: 'hidden' })
  await opener.press('Enter')
  await hasFocus('Invite people')
  await page.keyboard.press('Escape')
  await opener.and(page.locator(':focus')).waitFor()
})
