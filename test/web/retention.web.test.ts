import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { permission } from '../../src/houses/permissions.ts'
import { call, role } from '../support/world.ts'
import { expectAccessible, openPage, serverWith, twoInHouse } from './support.ts'

const daySeconds = 86_400
const choice = (page: Page) => page.getByLabel('Delete messages after')
const offered = (page: Page) => choice(page).getByRole('option').allInnerTexts()

async function save(page: Page, age: string): Promise<void> {
  await choice(page).selectOption(age)
  await page.getByRole('button', { name: 'Save changes' }).click()
}

test('the owner chooses how long messages stay, and is asked before some are deleted', async () => {
  const { ann, den } = await twoInHouse()
  const age = async () => (await call(ann, 'GET', `/houses/${den.id}/retention`)).body.data.max_age
  const page = await openPage(`/app/houses/${den.id}/settings/owner`, { as: ann })
  const dialog = page.getByRole('dialog', { name: 'Delete old messages' })
  await expect.poll(() => offered(page)).toEqual(['Never', '1 day', '1 week', '30 days', '90 days', '1 year'])
  await save(page, '30 days')
  await dialog.getByText('Messages older than 30 days will be deleted for everybody').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  expect(await age()).toBe(null)
  expect(await choice(page).inputValue()).toBe('')
  await save(page, '30 days')
  await dialog.getByRole('button', { name: 'Delete old messages' }).click()
  await page.getByText('Saved.').waitFor()
  expect(await age()).toBe(30 * daySeconds)

  // What keeps messages longer deletes none.
  await page.reload()
  await expect.poll(() => choice(page).inputValue()).toBe(String(30 * daySeconds))
  await save(page, '1 year')
  await page.getByText('Saved.').waitFor()
  expect(await age()).toBe(365 * daySeconds)
  await save(page, 'Never')
  await expect.poll(age).toBe(null)

  await page.goto(new URL(`/app/houses/${den.id}/settings/audit-log`, page.url()).href)
  await page.locator('.rows > li').last().locator('summary').click()
  await page.getByText('Age of messages at most: nothing → 30 days').waitFor()
})

test('ages longer than that of the server are not offered, and its own is named', async () => {
  const { ann, den } = await twoInHouse()
  const origin = await serverWith({ messagesMaxAgeMs: 30 * daySeconds * 1_000 })
  const page = await openPage(`${origin}/app/houses/${den.id}/settings/owner`, { as: ann })
  await expect.poll(() => offered(page)).toEqual(['As the server: 30 days', '1 day', '1 week', '30 days'])
  await page.getByText('This server deletes messages older than 30 days.').waitFor()
  await expectAccessible(page)
  await save(page, '1 week')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete old messages' }).click()
  await page.getByText('Saved.').waitFor()
})

test('an age that nobody offers is shown, and an administrator sees what holds in the overview', async () => {
  const { ann, bob, den } = await twoInHouse()
  await role(den, { allow: permission.ADMINISTRATOR, members: [bob] })
  await call(ann, 'PUT', `/houses/${den.id}/retention`, { max_age: 36 * 3_600 })
  const page = await openPage(`/app/houses/${den.id}/settings/owner`, { as: ann })
  await expect.poll(() => offered(page)).toContain('36 hours')
  expect(await choice(page).inputValue()).toBe(String(36 * 3_600))
  const other = await openPage(`/app/houses/${den.id}/settings/overview`, { as: bob })
  await other.getByText('Messages older than 36 hours are deleted.').waitFor()
  expect(await other.getByRole('link', { name: 'Owner', exact: true }).count()).toBe(0)
})

test('the choice fits a narrow screen, in German too', async () => {
  const { ann, den } = await twoInHouse()
  const phone = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true, locale: 'de-DE' }
  const page = await openPage(`/app/houses/${den.id}/settings/owner`, { as: ann, ...phone })
  await page.getByLabel('Nachrichten löschen, die älter sind als').selectOption('1 Woche')
  await page.getByRole('button', { name: 'Änderungen speichern' }).click()
  await page.getByText('Nachrichten, die älter sind als 1 Woche, werden für alle gelöscht').waitFor()
  await expectAccessible(page)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
})
