import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { messageOf, openPage } from './support.ts'

/** How many stops there may be on the way to what one looks for: twice round, as the page may move the focus meanwhile. */
const mostStops = 100

/** Goes forward by Tab until the thing with this name has the focus. */
async function tabTo(page: Page, role: 'link' | 'button' | 'textbox', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true })
  await wanted.first().waitFor()
  for (let count = 0; count < mostStops; count += 1) {
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${role} ${name}`)
}

async function press(page: Page, role: 'link' | 'button', name: string): Promise<void> {
  await tabTo(page, role, name)
  await page.keyboard.press('Enter')
}

async function type(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, 'textbox', name)
  await page.keyboard.type(text)
}

async function createAccount(page: Page, username: string): Promise<void> {
  await press(page, 'link', 'Create an account')
  await type(page, 'E-mail', `${username}@example.org`)
  await type(page, 'Username', username)
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct horse')
  await page.keyboard.press('Enter')
}

test('accounts, a house, an invite and a talk by keyboard alone', async () => {
  const ann = await openPage('/')
  await createAccount(ann, 'keyboard-ann')
  await press(ann, 'button', 'Create a house')
  await type(ann, 'House name', 'The Den')
  await ann.keyboard.press('Enter')
  await ann.getByRole('dialog').waitFor({ state: 'detached' })
  await type(ann, 'Message general', 'hello')
  await ann.keyboard.press('Enter')
  await messageOf(ann, 'hello').waitFor()

  await press(ann, 'button', 'The Den: menu')
  // Nobody goes on before the menu is open; it closes when the focus leaves it.
  await expect.poll(() => ann.locator('[popover] :focus').count()).toBe(1)
  await press(ann, 'button', 'Invite people')
  const link = ann.getByRole('textbox', { name: 'Invite link' })
  await expect.poll(() => link.inputValue()).toContain('/app/invite/')
  await tabTo(ann, 'textbox', 'Invite link')

  const bob = await openPage(await link.inputValue())
  await createAccount(bob, 'keyboard-bob')
  await messageOf(bob, 'hello').waitFor()
  await type(bob, 'Message general', 'hi Ann')
  await bob.keyboard.press('Enter')
  await ann.keyboard.press('Escape')
  await messageOf(ann, 'hi Ann').waitFor()
  await tabTo(ann, 'textbox', 'Message general')
})
