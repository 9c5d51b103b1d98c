import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call, message } from '../support/world.ts'
import { messageOf, openPage, sendAll, twoInHouse } from './support.ts'

/**
 * Presses a key on what has the focus as Safari reports the one that ends a composition: after it, as no part of it.
 * Gives whether the page left it alone.
 */
function pressAfterComposing(page: Page, key: string, more = {}): Promise<boolean> {
  const options = JSON.stringify({ key, keyCode: 229, bubbles: true, cancelable: true, ...more })
  return page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${options}))`)
}

const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message general', exact: true })
const focusIsOn = (page: Page, wanted: Locator) => wanted.and(page.locator(':focus')).waitFor()

test('a key that ends a composition does nothing else', async () => {
  const { ann, den, path } = await twoInHouse()
  await message(den.room_id, ann, { content: 'own' })
  const page = await openPage(path, { as: ann })
  const composer = composerOf(page)
  await messageOf(page, 'own').waitFor()
  await composer.focus()
  expect(await pressAfterComposing(page, 'ArrowUp')).toBe(true)
  await composer.fill('日本')
  expect(await pressAfterComposing(page, 'Enter')).toBe(true)
  await composer.pressSequentially(' @bo')
  const option = page.getByRole('option', { name: 'Bob' })
  await option.waitFor()
  for (const key of ['Enter', 'Tab', 'Escape', 'ArrowDown'])
    expect(await pressAfterComposing(page, key)).toBe(true)
  expect(await composer.inputValue()).toBe('日本 @bo')
  await option.waitFor()
  expect(await pressAfterComposing(page, 'k', { ctrlKey: true })).toBe(true)
  expect(await page.getByRole('dialog').count()).toBe(0)

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').pressSequentially('general')
  for (const key of ['Enter', 'ArrowDown']) expect(await pressAfterComposing(page, key)).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await composer.fill('')
  await composer.press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await focusIsOn(page, editor)
  await editor.fill('owned')
  for (const key of ['Enter', 'Escape']) expect(await pressAfterComposing(page, key)).toBe(true)
  expect(await editor.inputValue()).toBe('owned')
  await editor.press('Enter')
  await messageOf(page, 'owned').waitFor()
  expect(await messageOf(page, '日本').count()).toBe(0)
})

test('Ctrl+Z undoes completions, emoji and what comes from an edit', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const composer = composerOf(page)
  await composer.pressSequentially('hello @bo')
  await page.getByRole('option', { name: 'Bob' }).waitFor()
  await composer.press('Enter')
  expect(await composer.inputValue()).toBe(`hello @${bob.username} `)
  await composer.press('Control+z')
  expect(await composer.inputValue()).toBe('hello @bo')
  await composer.press('Control+Shift+z')
  expect(await composer.inputValue()).toBe(`hello @${bob.username} `)

  await page.getByRole('button', { name: 'Emoji' }).click()
  await page.getByRole('searchbox', { name: 'Search emoji' }).fill('rocket')
  await page.getByRole('option', { name: 'rocket', exact: true }).click()
  expect(await composer.inputValue()).toBe(`hello @${bob.username} 🚀`)
  await composer.press('Control+z')
  expect(await composer.inputValue()).toBe(`hello @${bob.username} `)
  // What was undone is not sent, and what comes after a message can be undone as well.
  await composer.press('Enter')
  await messageOf(page, 'hello @Bob').waitFor()
  await composer.press('n')
  await composer.press('Control+z')
  expect(await composer.inputValue()).toBe('')

  // The text of an edit comes to the composer when its message is deleted.
  const [id] = await sendAll(ann, den.room_id, 'to be edited')
  await messageOf(page, 'to be edited').waitFor()
  await composer.press('ArrowUp')
  await page.getByRole('textbox', { name: 'Edit message' }).fill('edited')
  await page.keyboard.press('Escape')
  await composer.pressSequentially('abc')
  await call(ann, 'DELETE', `/rooms/${den.room_id}/messages/${id}`)
  await expect.poll(() => composer.inputValue()).toBe('abc\nedited')
  await composer.press('Control+z')
  expect(await composer.inputValue()).toBe('abc')
})

test('names and emoticons become emoji while one types, but not in code or when turned off', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const composer = composerOf(page)
  const hasText = (text: string) => expect.poll(() => composer.inputValue()).toBe(text)
  await composer.pressSequentially('so :tada:')
  await hasText('so 🎉')
  await composer.press('Control+z')
  await hasText('so :tada:')
  await composer.pressSequentially(' :)')
  await hasText('so :tada: 🙂')
  await composer.press('Backspace')
  await hasText('so :tada: :)')
  await composer.pressSequentially(' :D ')
  await hasText('so :tada: :) 😃 ')
  await composer.press('Backspace')
  await hasText('so :tada: :) :D ')
  await composer.pressSequentially(';-) :P ')
  await hasText('so :tada: :) :D 😉 😛 ')
  await composer.press('Control+z')
  await hasText('so :tada: :) :D 😉 :P ')
  await composer.pressSequentially('and `:)` <3')
  await composer.press('Enter')
  await messageOf(page, 'so :tada: :) :D 😉 :P and :) ❤️').waitFor()

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('combobox', { name: 'Emoji while you type' }).selectOption('off')
  await page.goBack()
  await composer.pressSequentially(':tada: :) ')
  await composer.press('Enter')
  await messageOf(page, ':tada: :)').last().waitFor()
})

test('what is pasted from a spreadsheet is text, and a lone picture a file', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await composerOf(page).waitFor()
  const files = page.getByRole('list', { name: 'Files' }).getByRole('listitem')
  const isLeftToBrowser = (text: string, html: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', ${JSON.stringify(text)})
      clipboardData.setData('text/html', ${JSON.stringify(html)})
      clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }))
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.querySelector('.composer textarea').dispatchEvent(paste)
    }`)
  expect(await isLeftToBrowser('a\tb', '<table><tr><td>a</td><td>b</td></tr></table>')).toBe(true)
  expect(await files.count()).toBe(0)
  expect(await isLeftToBrowser('https://e.org/a.png', '<img src="https://e.org/a.png">')).toBe(false)
  await files.filter({ hasText: 'image.png' }).waitFor()
  await page.getByRole('button', { name: 'Remove image.png' }).click()
  await focusIsOn(page, composerOf(page))
})
