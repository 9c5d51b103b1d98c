import { expect, test } from 'vitest'
import { picture } from '../../support/pictures.ts'
import { call, houseRoom } from '../../support/world.ts'
import {
  expectAccessible,
  logOf,
  messageOf,
  openPage,
  sendAll,
  sent,
  twoInHouse,
  watchPages,
  write,
} from '../support.ts'

watchPages()

test('edits with the up arrow, and deletes after a question', async () => {
  const { ann, bob, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  await write(page, 'helo')
  await messageOf(other, 'helo').waitFor()
  await sent(page, 'helo')
  await page.getByRole('textbox', { name: 'Message general' }).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.fill('hello')
  await editor.press('Enter')
  await messageOf(other, 'hello').getByText('edited').waitFor()
  // The focus is back where one writes.
  await expect.poll(() => page.evaluate('document.activeElement?.ariaLabel')).toBe('Message general')

  await messageOf(page, 'hello').hover()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await messageOf(other, 'hello').waitFor({ state: 'detached' })
  // What one may not do is absent.
  await write(page, 'mine')
  await messageOf(other, 'mine').hover()
  expect(await messageOf(other, 'mine').getByRole('button', { name: 'Edit' }).count()).toBe(0)
})

test('shows what is new, marks it as read once it was seen, here and on other devices', async () => {
  const { ann, bob, den } = await twoInHouse()
  const random = await houseRoom(den, { name: 'random' })
  const [read] = await sendAll(bob, den.room_id, 'old')
  await call(ann, 'POST', `/rooms/${den.room_id}/messages/${read}/ack`)
  await sendAll(bob, den.room_id, `for <@${ann.id}>`)
  const page = await openPage(`/app/houses/${den.id}/rooms/${random}`, { as: ann })
  const second = await openPage(`/app/houses/${den.id}/rooms/${random}`, { as: ann })
  const rooms = page.getByRole('navigation', { name: 'Rooms' })
  await rooms.getByRole('link', { name: 'general , 1 mention' }).waitFor()
  await rooms.getByRole('link', { name: /general/ }).click()
  await logOf(page).getByText('new', { exact: true }).waitFor()
  await messageOf(page, 'for @').waitFor()
  const elsewhere = second.getByRole('navigation', { name: 'Rooms' })
  await elsewhere.getByRole('link', { name: 'general', exact: true }).waitFor()
  await logOf(page).press('Escape')
  await expect.poll(() => logOf(page).getByText('new', { exact: true }).count()).toBe(0)
})

test('by keyboard one replies, reacts and pins', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'the question' })
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  const question = messageOf(page, 'the question').first()
  const choose = async (name: string) => {
    await question.focus()
    await page.keyboard.press('Enter')
    const items = page.getByRole('menuitem')
    await items.first().waitFor()
    const names = await items.allTextContents()
    for (let step = names.indexOf(name); step > 0; step -= 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  }
  await choose('Reply')
  await page.getByText('Replying to Bob').waitFor()
  await page.keyboard.type('the answer')
  await page.keyboard.press('Enter')
  await sent(page, 'the answer')
  await messageOf(other, 'the answer')
    .getByRole('link', { name: /In reply to Bob/ })
    .waitFor()

  await choose('Add reaction')
  const dialog = page.getByRole('dialog', { name: 'Add reaction' })
  await dialog.getByRole('option', { name: 'thumbs up', exact: true }).waitFor()
  await page.keyboard.type('thumbs up')
  await page.keyboard.press('Enter')
  await question.getByRole('button', { name: '1 person reacted with 👍', pressed: true }).waitFor()
  const theirs = other.getByRole('button', { name: '1 person reacted with 👍', pressed: false })
  await theirs.hover()
  await expect.poll(() => theirs.getAttribute('title')).toBe('Ann')
  await theirs.click()
  await question.getByRole('button', { name: '2 people reacted with 👍', pressed: true }).click()
  await other.getByRole('button', { name: '1 person reacted with 👍', pressed: true }).waitFor()
  await choose('Who reacted')
  await page.getByRole('dialog', { name: 'Who reacted' }).getByText('Bob').waitFor()
  await page.keyboard.press('Escape')

  await choose('Pin')
  await messageOf(other, 'the question').first().getByText('pinned').waitFor()
  await page.getByRole('button', { name: 'Pinned messages' }).press('Enter')
  const pins = page.getByRole('dialog', { name: 'Pinned messages' })
  await pins.getByText('the question').waitFor()
  await expectAccessible(page)
  await pins.getByRole('button', { name: 'Unpin' }).press('Enter')
  // It stays in its place for as long as it can be undone there, and the button keeps the focus.
  await pins.getByText('Unpinned.').waitFor()
  await pins.getByRole('button', { name: 'Undo' }).press('Enter')
  await pins.getByRole('button', { name: 'Unpin' }).press('Enter')
  await pins.getByText('Unpinned.').waitFor()
  // Bob may not pin here.
  await other.getByRole('button', { name: 'Pinned messages' }).click()
  await other.getByText('Nothing is pinned here yet.').waitFor()
  await other.keyboard.press('Escape')
  await messageOf(other, 'the question').first().hover()
  expect(await other.getByRole('button', { name: 'Pin', exact: true }).count()).toBe(0)
})

test('sends a picture, which others see in its place and large', async () => {
  const { ann, bob, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  await messageOf(page, '').or(page.getByText('Nobody has written here yet. Say hello.')).waitFor()
  const buffer = await picture('jpeg', { width: 960, height: 480 })
  await page
    .locator('.composer input[type="file"]')
    .setInputFiles({ name: 'hill.jpg', mimeType: 'image/jpeg', buffer })
  await write(page, 'see')
  const image = messageOf(other, 'see').getByRole('img', { name: 'Picture hill.jpg' })
  await image.waitFor()
  expect(await image.boundingBox()).toMatchObject({ width: 480, height: 240 })
  await image.click()
  await other.getByRole('dialog', { name: 'hill.jpg' }).getByRole('img').waitFor()
})

test('keeps what is written without a network, and sends it once when there is one again', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, mayFail: /ERR_|WebSocket|Failed to load/ })
  const other = await openPage(path, { as: bob })
  await write(page, 'first')
  await sent(page, 'first')
  await page.context().setOffline(true)
  for (const text of ['second', 'third']) await write(page, text)
  await messageOf(page, 'third').getByText('Waiting to be sent').waitFor()
  await write(other, 'meanwhile')
  await sent(other, 'meanwhile')
  await page.context().setOffline(false)
  for (const text of ['meanwhile', 'second', 'third']) await sent(page, text)
  const { body } = await call(bob, 'GET', `/rooms/${den.room_id}/messages`)
  const contents = body.data.map((message: { content: string }) => message.content)
  expect(contents).toEqual(['third', 'second', 'meanwhile', 'first'])
})
