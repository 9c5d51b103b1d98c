import { expect, test } from 'vitest'
import { call, houseRoom } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse, write } from './support.ts'

test('completes people, rooms and emoji by keyboard', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await houseRoom(den, { name: 'gardening' })
  const page = await openPage(path, { as: ann })
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
  await composer.pressSequentially('hello @bo')
  await options.filter({ hasText: 'Bob' }).waitFor()
  await expectAccessible(page)
  await composer.press('Enter')
  await composer.pressSequentially('see #gard')
  await options.filter({ hasText: 'gardening' }).waitFor()
  await composer.press('Tab')
  await composer.pressSequentially(':rocket')
  await options.filter({ hasText: '🚀' }).waitFor()
  await composer.press('Enter')
  expect(await composer.inputValue()).toMatch(/^hello @\S+ see #gardening 🚀 $/)
  await composer.press('Enter')
  await messageOf(page, 'hello @Bob see #gardening 🚀').waitFor()
  const other = await openPage(path, { as: bob })
  await messageOf(other, 'hello @Bob').waitFor()

  // Escape closes the list only, and Enter sends then.
  await composer.pressSequentially('@bo')
  await options.first().waitFor()
  await composer.press('Escape')
  await expect.poll(() => options.count()).toBe(0)
  await composer.press('Enter')
  await messageOf(other, '@bo').first().waitFor()
})

test('an emoji is found in the grid by name and put where the caret is', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, viewport: { width: 375, height: 667 } })
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  await composer.fill('a b')
  await composer.press('ArrowLeft')
  await page.getByRole('button', { name: 'Emoji' }).click()
  const search = page.getByRole('searchbox', { name: 'Search emoji' })
  await page.getByRole('option', { name: 'grinning face', exact: true }).waitFor()
  await search.fill('rocket')
  await expect.poll(() => page.getByRole('option').count()).toBeLessThan(5)
  await expectAccessible(page)
  await search.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => composer.inputValue()).toBe('a 🚀b')
})

test('sends files with a message, by button and paste, and cancels one on its way', async () => {
  const { ann, bob, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  const other = await openPage(path, { as: bob })
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  const files = page.getByRole('list', { name: 'Files' }).getByRole('listitem')
  await composer.fill('see this')
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
  await page.locator('.composer input[type="file"]').setInputFiles(note)
  await files.filter({ hasText: 'note.txt' }).waitFor()
  await expectAccessible(page)
  await composer.press('Enter')
  await messageOf(other, 'see this').getByRole('link', { name: 'File note.txt' }).waitFor()
  await expect.poll(() => files.count()).toBe(0)
  expect(await composer.inputValue()).toBe('')

  const held = Promise.withResolvers<void>()
  await page.route(/\/messages\/media|\/media/, async (route) => {
    await held.promise
    await route.abort().catch(() => {})
  })
  await page.evaluate(`{
    const of = (name) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['x'], name, { type: 'text/plain' }))
      return transfer
    }
    const options = { bubbles: true, cancelable: true }
    const field = document.querySelector('.composer textarea')
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: of('pasted.txt'), ...options }))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: of('dropped.txt'), ...options }))
  }`)
  await page.getByRole('button', { name: 'Remove dropped.txt' }).click()
  await files.filter({ hasText: 'pasted.txt' }).waitFor()
  await composer.press('Enter')
  await page.getByRole('progressbar', { name: 'Sending pasted.txt' }).waitFor()
  await page.getByRole('button', { name: 'Cancel pasted.txt' }).click()
  await expect.poll(() => files.count()).toBe(0)
  held.resolve()
})

test('sends messages that explode, and by Ctrl+Enter if that is set', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann, viewport: { width: 375, height: 667 } })
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  await page.getByRole('button', { name: 'Exploding messages: Off' }).click()
  await page.getByRole('button', { name: 'After 1 hour' }).click()
  await page.getByRole('button', { name: 'Exploding messages: After 1 hour' }).waitFor()
  await page.evaluate("localStorage.setItem('hearth.send-key', 'ctrl-enter')")
  await write(page, 'soon gone')
  await messageOf(page, 'soon gone')
    .getByText(/Explodes|left/)
    .first()
    .waitFor()
  await page.reload()
  await composer.fill('one')
  await composer.press('Enter')
  await composer.pressSequentially('two')
  expect(await composer.inputValue()).toBe('one\ntwo')
  await composer.press('Control+Enter')
  await messageOf(page, 'two').waitFor()
})

test('a key changes what is written, and nothing else in the page', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await call(bob, 'POST', `/rooms/${den.room_id}/messages`, { content: 'before' })
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'before').waitFor()
  const composer = page.getByRole('textbox', { name: 'Message general' })
  // The button that sends is there for more than nothing.
  await composer.fill('a')
  await page.evaluate(`
    window.changes = []
    new MutationObserver((all) => changes.push(...all.map(({ target }) => target.outerHTML ?? target.data)))
      .observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true })
  `)
  // Once more where the page itself has not settled yet.
  const changesByKeys = async () => {
    await page.evaluate('void changes.splice(0)')
    await composer.fill('a')
    await composer.pressSequentially(' word, then another')
    expect(await composer.inputValue()).toBe('a word, then another')
    return page.evaluate('changes')
  }
  await expect.poll(changesByKeys).toEqual([])
})
