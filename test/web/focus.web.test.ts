import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { codeOf, withTotp } from '../support/two-factor.ts'
import { call, houseRoom, message, user } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, sendAll, twoInHouse } from './support.ts'

const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message general', exact: true })
const focusIsOn = (page: Page, wanted: Locator) => wanted.and(page.locator(':focus')).waitFor()

test('what is typed outside of a field goes to the composer, whatever was clicked before', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const [id] = await sendAll(bob, den.room_id, 'hello')
  await call(bob, 'PUT', `/rooms/${den.room_id}/messages/${id}/reactions/${encodeURIComponent('👍')}`)
  const page = await openPage(path, { as: ann })
  const composer = composerOf(page)
  const isFocusLost = () => page.evaluate('document.activeElement === document.body')
  /** Types after a click, and looks where it has gone. */
  const typeAfter = async (letter: string) => {
    expect(await isFocusLost()).toBe(false)
    expect(await composer.and(page.locator(':focus')).count()).toBe(0)
    const before = await composer.inputValue()
    await page.keyboard.press(letter)
    expect(await composer.inputValue()).toBe(before + letter)
    await focusIsOn(page, composer)
  }
  await messageOf(page, 'hello').getByText('hello').click()
  await typeAfter('a')
  const head = (await page.locator('main .page-head').boundingBox())!
  await page.mouse.click(head.x + head.width / 2, head.y + head.height / 2)
  await typeAfter('B')
  await messageOf(page, 'hello')
    .getByRole('button', { name: /1 person reacted/ })
    .click()
  await messageOf(page, 'hello')
    .getByRole('button', { name: /2 people reacted/ })
    .waitFor()
  await typeAfter('#')
  const open = page.getByRole('button', { name: 'Search', exact: true })
  await open.click()
  const search = page.getByRole('searchbox', { name: 'Search' })
  await focusIsOn(page, search)
  await page.keyboard.type('word')
  expect(await search.inputValue()).toBe('word')
  // At once, and not first the text and then the dialog.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focusIsOn(page, open)
  await typeAfter('?')
  await open.focus()
  for (const key of ['Control+a', 'Alt+x', 'F2', 'Shift']) await page.keyboard.press(key)
  await focusIsOn(page, open)
  expect(await composer.inputValue()).toBe('aB#?')
})

test('the focus is where the eye is on every screen that comes', async () => {
  const ann = await withTotp('focus-ann')
  const page = await openPage('/app/log-in', { mayFail: /status of 40[04]/ })
  const hasFocus = (name: string) => focusIsOn(page, page.getByRole('textbox', { name, exact: true }))
  await hasFocus('E-mail or username')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await hasFocus('E-mail')
  await page.getByRole('link', { name: 'I have an account' }).click()
  await hasFocus('E-mail or username')
  await page.keyboard.type(ann.username)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await hasFocus('Two-factor code')
  await page.keyboard.type(codeOf(ann.secret))
  await page.keyboard.press('Enter')
  const hasHeading = (name: string) => focusIsOn(page, page.getByRole('heading', { level: 1, name }))
  await hasHeading('Welcome, focus-ann')
  await page.getByRole('link', { name: 'Settings' }).click()
  await hasHeading('Settings')
  await page.getByRole('link', { name: 'Private rooms' }).click()
  await hasHeading('Friends')
  await page.goBack()
  await hasHeading('Settings')
  await page.goto(new URL('/app/invite/none', page.url()).href)
  await hasHeading('Join a house')
})

test('the focus stays on the button that unpins a message, which then undoes that', async () => {
  const { ann, den, path } = await twoInHouse()
  for (const id of await sendAll(ann, den.room_id, 'one', 'two https://example.org')) {
    await call(ann, 'PUT', `/rooms/${den.room_id}/pins/${id}`)
  }
  const page = await openPage(path, { as: ann })
  const open = page.getByRole('button', { name: 'Pinned messages' })
  await open.press('Enter')
  const two = page.getByRole('listitem').filter({ hasText: 'two' })
  await two.getByRole('button', { name: 'Unpin' }).press('Enter')
  await focusIsOn(page, two.getByRole('button', { name: 'Undo' }))
  await page.keyboard.press('Enter')
  await focusIsOn(page, two.getByRole('button', { name: 'Unpin' }))
  await page.keyboard.press('Escape')
  await focusIsOn(page, open)
})

test('the focus goes on to the next row of a list, and then to the heading', async () => {
  const [ann, bob, cat] = [await user(), await user({ name: 'Bob' }), await user({ name: 'Cat' })]
  for (const { id } of [bob, cat]) await call(ann, 'PUT', `/relationships/@me/blocked/${id}`)
  const page = await openPage('/app/friends', { as: ann })
  const rows = page.getByRole('button', { name: /^Unblock/ })
  await expect.poll(() => rows.count()).toBe(2)
  await rows.first().press('Enter')
  await expect.poll(() => rows.count()).toBe(1)
  await focusIsOn(page, rows)
  await page.keyboard.press('Enter')
  await focusIsOn(page, page.getByRole('heading', { level: 1, name: 'Friends' }))
})

test('messages have names, and a mention elsewhere is read out once', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const [random, muted] = [await houseRoom(den, { name: 'random' }), await houseRoom(den, { name: 'muted' })]
  await call(ann, 'PUT', `/users/@me/settings/room_overrides/${muted}`, { notification_preference: 2 })
  await message(den.room_id, bob, { content: 'hello **you**' })
  await message(den.room_id, bob, { content: 'again' })
  const page = await openPage(path, { as: ann })
  for (const name of [/^Bob hello you \d\d:\d\d$/, /^Bob again \d\d:\d\d$/]) {
    await page.getByRole('article', { name }).waitFor()
  }
  const status = page.getByRole('status')
  await sendAll(bob, muted, `<@${ann.id}> not this`)
  await sendAll(bob, random, 'nor this', `<@${ann.id}> look`)
  await status.filter({ hasText: `Bob mentioned you in random. @${ann.username} look` }).waitFor()
  await sendAll(bob, den.room_id, `<@${ann.id}> here`)
  await status.filter({ hasText: `Bob: @${ann.username} here` }).waitFor()
  expect(await status.filter({ hasText: 'in general' }).count()).toBe(0)
  await expectAccessible(page)
})
