import { expect, test } from 'vitest'
import { codeOf, logInWith, withTotp } from '../support/two-factor.ts'
import { admin, call, db, house, noAuth, user } from '../support/world.ts'
import { expectAccessible, openPage, ownServer } from './support.ts'

await ownServer()

const ruler = await admin()
const narrow = { viewport: { width: 375, height: 667 } }

test('shows what the server has and uses, at the width of a phone, too', async () => {
  const page = await openPage('/app/admin', { as: ruler, ...narrow })
  await page.getByText('Ready', { exact: true }).waitFor()
  const facts = await page.locator('.facts').innerText()
  expect(facts).toMatch(/Version\s+\d+\.\d+\.\d+/)
  expect(facts).toMatch(/Open connections\s+1/)
  await page.getByText(/, 1 connection$/).waitFor()
  expect(await page.title()).toBe('Administration · Hearth')
  await expectAccessible(page)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
})

test('is nothing to whoever is no admin', async () => {
  const page = await openPage('/app/admin/users', { as: await user() })
  await page.getByText('There is no page at this address.').waitFor()
  expect(await page.getByText('Find users').count()).toBe(0)
})

test('is found by admins in their settings, and by nobody else', async () => {
  const page = await openPage('/app/settings', { as: ruler })
  await page.getByRole('link', { name: 'Administration' }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
  const other = await openPage('/app/friends', { as: await user() })
  const answer = other.waitForResponse('**/users/@me/admin')
  await other.getByRole('link', { name: 'Settings' }).click()
  expect(await (await answer).json()).toMatchObject({ data: { admin: false } })
  await other.getByRole('button', { name: 'Log out' }).waitFor()
  expect(await other.getByRole('link', { name: 'Administration' }).count()).toBe(0)
})

test('finds a user, and by keyboard disables and enables the account', async () => {
  const ann = await withTotp('ann-to-disable')
  await user({ username: 'somebody-else' })
  const page = await openPage('/app/admin', { as: ruler })
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByLabel('Find users').fill('ann-to')
  await expect.poll(() => page.locator('.rows > li').count()).toBe(1)
  await expectAccessible(page)
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Actions for ann-to-disable' }).focus()
    await page.keyboard.press('Enter')
    while ((await page.locator(':focus').innerText()) !== name) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    // What the same menu takes back is done at once.
    if (name === 'Enable') return
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await choose('Disable')
  await page.getByText('Disabled', { exact: true }).waitFor()
  expect((await call(ann, 'GET', '/users/@me')).body).toEqual(noAuth)
  // The log names whom it was done to, and what.
  const log = await openPage('/app/admin/audit-log', { as: ruler })
  await log.getByText(`@${ruler.username} changed an account: @ann-to-disable`).waitFor()
  await log.getByText('Disabled: yes').waitFor()
  await choose('Enable')
  await page.getByText('Disabled', { exact: true }).waitFor({ state: 'detached' })
  // Her sessions have ended.
  await page.getByText('· Not logged in ·').waitFor()
  expect((await logInWith(ann.username, codeOf(ann.secret))).status).toBe(200)
  await choose('Turn two-factor off')
  expect((await logInWith(ann.username)).status).toBe(200)
  await choose('Delete account')
  await page.getByText('Nobody and nothing is called so.').waitFor()
  expect((await call(ruler, 'GET', `/users/${ann.id}`)).status).toBe(400)
})

test('offers nothing for oneself, and no admin of a bot', async () => {
  const bot = await user({ username: 'a-bot-here', bot_of: ruler })
  const page = await openPage('/app/admin/users', { as: ruler })
  await page.getByLabel('Find users').fill(ruler.username)
  await page.getByText('You', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
  await page.getByLabel('Find users').fill(bot.username)
  await page.getByRole('button', { name: 'Actions for a-bot-here' }).click()
  await page.getByRole('button', { name: 'Disable', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Make an admin' }).isVisible()).toBe(false)
})

test('deletes a house, and lists that in the audit log, in German', async () => {
  const ann = await user()
  const den = await house({ owner: ann })
  await db.updateTable('houses').set({ name: 'Verlassen' }).where('id', '=', den.id).execute()
  const page = await openPage('/app/admin/houses', { as: ruler, locale: 'de-AT', ...narrow })
  await page.getByLabel('Häuser finden').fill('verlassen')
  await page.getByRole('button', { name: 'Haus löschen: Verlassen' }).click()
  await page.getByRole('dialog').getByLabel('Gib zur Bestätigung „Verlassen“ ein').fill('Verlassen')
  await page.getByRole('dialog').getByRole('button', { name: 'Haus löschen', exact: true }).click()
  await page.getByText('Niemand und nichts heißt so.').waitFor()
  expect((await call(ann, 'GET', `/houses/${den.id}`)).status).toBe(404)
  await page.getByRole('link', { name: 'Protokoll', exact: true }).click()
  await page.getByText(`@${ruler.username} hat ein Haus gelöscht`).first().waitFor()
  await page.getByText('Name: Verlassen').waitFor()
  await expectAccessible(page)
})
