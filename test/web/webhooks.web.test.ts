import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { webhook } from '../support/webhooks.ts'
import { houseRoom, role } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse } from './support.ts'

test('creates a webhook, whose messages come with its name, and deletes it', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(`/app/houses/${den.id}/settings/webhooks`, { as: ann })
  await page.getByText('There are no webhooks yet.').waitFor()
  await page.getByLabel('Webhook name').fill('Build')
  await page.getByRole('button', { name: 'Create a webhook' }).click()
  const shown = page.getByRole('dialog', { name: 'Address of Build' })
  const address = shown.getByRole('textbox', { name: 'Address' })
  await expect.poll(() => address.inputValue()).toContain('://')
  const url = await address.inputValue()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await shown.waitFor({ state: 'detached' })
  // One goes on where one was, with an empty form.
  expect(await page.locator(':focus').innerText()).toBe('Create a webhook')
  expect(await page.getByLabel('Webhook name').inputValue()).toBe('')
  const reader = await openPage(path, { as: bob })
  const send = (text: string) => fetch(url, { method: 'POST', body: JSON.stringify({ text }), headers: json })
  expect(await (await send('It is *green*.')).text()).toBe('ok')
  const said = messageOf(reader, 'It is green.')
  await said.getByRole('button', { name: 'Build', exact: true }).click()
  const card = reader.getByRole('dialog', { name: 'Build' })
  await card.getByText('@webhook-').waitFor()
  expect(await card.getByRole('button').allInnerTexts()).toEqual([''])

  await page.getByRole('button', { name: 'New address: Build' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New address' }).click()
  await expect.poll(() => address.inputValue()).not.toBe(url)
  await page.keyboard.press('Escape')
  expect((await send('no more')).status).toBe(404)
  await page.getByRole('button', { name: 'Delete: Build' }).click()
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('There are no webhooks yet.').waitFor()
})
const json = { 'content-type': 'application/json' }

test('edits a webhook by keyboard alone', async () => {
  const { ann, den } = await twoInHouse()
  await houseRoom(den, { name: 'builds' })
  await webhook(den, { name: 'Old' })
  const page = await openPage(`/app/houses/${den.id}/settings/webhooks`, { as: ann })
  await page.getByRole('button', { name: 'Edit: Old' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Webhook name').focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('New')
  await page.keyboard.press('Tab')
  await page.keyboard.type('builds')
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('listitem').filter({ hasText: 'New # builds' }).waitFor()
})

test('fits a narrow screen, in German too, and is for who manages integrations', async () => {
  const { ann, bob, den } = await twoInHouse()
  await webhook(den, { name: 'A name that goes on and on and on and on and on and on and on and' })
  const path = `/app/houses/${den.id}/settings/webhooks`
  const phone = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true, locale: 'de-DE' }
  const page = await openPage(path, { as: ann, ...phone })
  await page.getByRole('button', { name: /^Neue Adresse: / }).waitFor()
  await expectAccessible(page)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)

  const other = await openPage(path, { as: bob })
  await other.getByText('There is nothing that you may change in this house.').waitFor()
  await role(den, { allow: permission.MANAGE_INTEGRATIONS, members: [bob] })
  await other.reload()
  await other.getByRole('button', { name: 'Create a webhook' }).waitFor()
})
