import { expect, test } from 'vitest'
import { call, houseRoom } from '../support/world.ts'
import { logOf, messageOf, openPage, twoInHouse } from './support.ts'

async function scene() {
  const { ann, den, path } = await twoInHouse()
  await houseRoom(den, { name: 'random' })
  const url = `/rooms/${den.room_id}/messages`
  const { id } = (await call(ann, 'POST', url, { content: 'first words' })).body.data
  const page = await openPage(path, { as: ann, mayFail: /status of 503/ })
  const composer = page.getByRole('textbox', { name: 'Message general' })
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await messageOf(page, 'first words').waitFor()
  return { ann, url, id, page, composer, editor }
}

const focused = 'document.activeElement?.ariaLabel'

test('the text of an edit outlives leaving the room, a reload and Esc, until it is saved or discarded', async () => {
  const { page, composer, editor } = await scene()
  await composer.press('ArrowUp')
  await editor.fill('second words')
  const rooms = page.getByRole('navigation', { name: 'Rooms' })
  await rooms.getByRole('link', { name: 'random' }).click()
  await page.getByRole('log', { name: 'Messages in random' }).waitFor()
  await page.goBack()
  await expect.poll(() => editor.inputValue()).toBe('second words')
  // One who comes back goes on where one writes.
  expect(await page.evaluate(focused)).toBe('Message general')

  await page.reload()
  const own = messageOf(page, 'first words')
  await own.getByText('You have changed this and not saved it.').waitFor()
  await own.getByText('Edit', { exact: true }).click()
  await expect.poll(() => editor.inputValue()).toBe('second words')
  expect(await page.evaluate(focused)).toBe('Edit message')
  await editor.press('Escape')
  await own.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => own.getByText('You have changed this').count()).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await own.getByText('You have changed this').waitFor()
  await own.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => own.getByText('You have changed this').count()).toBe(0)
  await composer.press('ArrowUp')
  await expect.poll(() => editor.inputValue()).toBe('first words')
  await editor.fill('third words')
  await editor.press('Enter')
  await messageOf(page, 'third words').getByText('edited').waitFor()
  await page.reload()
  await messageOf(page, 'third words').waitFor()
  expect(await page.getByText('You have changed this').count()).toBe(0)
})

test('who logs out is asked first where something is not sent', async () => {
  const { page, composer, editor } = await scene()
  await page.route('**/messages?*', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 503,
          json: { success: false, error: { code: 'unavailable', message: 'Busy' } },
        })
      : route.continue(),
  )
  await composer.fill('waits')
  await composer.press('Enter')
  await messageOf(page, 'waits').getByText('Waiting to be sent').waitFor()
  await composer.press('ArrowUp')
  await editor.fill('second words')
  await composer.fill('a draft')
  const logOut = async () => {
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
  }
  await logOut()
  const dialog = page.getByRole('dialog', { name: 'Log out' })
  await dialog.getByText('2 drafts are deleted from this device.').waitFor()
  await dialog.getByText('1 message is not sent before you log in here again.').waitFor()
  await page.keyboard.press('Escape')
  await page.goBack()
  await expect.poll(() => composer.inputValue()).toBe('a draft')
  await logOut()
  await dialog.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('E-mail or username').waitFor()
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft')))).toEqual(
    [],
  )
})

test('when a message that one edits is deleted, the text goes on where one writes', async () => {
  const { ann, url, id, page, composer, editor } = await scene()
  await composer.fill('a draft')
  await messageOf(page, 'first words').hover()
  await page.getByRole('button', { name: 'Edit' }).click()
  await editor.fill('second words')
  await call(ann, 'DELETE', `${url}/${id}`)
  await expect.poll(() => composer.inputValue()).toBe('a draft\nsecond words')
  expect(await page.evaluate(focused)).toBe('Message general')
  await page.reload()
  await expect.poll(() => composer.inputValue()).toBe('a draft\nsecond words')
  // Nothing of it is left: it does not come a second time.
  await logOf(page).getByText('Nobody has written here yet.').waitFor()
  await expect.poll(() => composer.inputValue()).toBe('a draft\nsecond words')
})

test('when several messages with unsaved edits are deleted, all texts go on where one writes', async () => {
  const { ann, url, id, page, composer, editor } = await scene()
  const other = (await call(ann, 'POST', url, { content: 'other words' })).body.data.id
  for (const [before, after] of [
    ['first words', 'one'],
    ['other words', 'two'],
  ] as const) {
    await messageOf(page, before).hover()
    await messageOf(page, before).getByRole('button', { name: 'Edit' }).click()
    await editor.fill(after)
    await editor.press('Escape')
  }
  // Both are found to be gone at once, by who comes back to the room.
  await page.getByRole('link', { name: 'random' }).click()
  await page.getByRole('textbox', { name: 'Message random' }).waitFor()
  for (const gone of [id, other]) await call(ann, 'DELETE', `${url}/${gone}`)
  await page.getByRole('link', { name: 'general' }).click()
  await expect.poll(async () => (await composer.inputValue()).split('\n').sort()).toEqual(['one', 'two'])
})
