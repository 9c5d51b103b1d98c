import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hashToken, newToken } from '../../src/auth/tokens.ts'
import { newId } from '../../src/ids.ts'
import { crowd, groups } from '../support/crowds.ts'
import { db, message, user } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

/** For what takes long by itself. */
const patience = { timeout: 120_000 }

/** Presses "More" until there is no more, and expects so many rows after each press. */
async function expectPages(page: Page, rows: string, ...counts: number[]): Promise<void> {
  const more = page.getByRole('button', { name: 'More', exact: true })
  const [first = 0, ...rest] = counts
  await expect.poll(() => page.locator(rows).count()).toBe(first)
  for (const [index, count] of rest.entries()) {
    await more.click()
    await expect.poll(() => page.locator(rows).count()).toBe(count)
    // The focus goes on where the page begins.
    await page.locator(`${rows}:nth-child(${(counts[index] ?? 0) + 1}):focus`).waitFor()
  }
  await more.waitFor({ state: 'detached' })
}

test('shows all bans and members, page by page', async () => {
  const { ann, den } = await twoInHouse()
  const many = await crowd(130)
  const house_id = den.id
  await db
    .insertInto('members')
    .values(many.map((user_id) => ({ house_id, user_id })))
    .execute()
  const page = await openPage(`/app/houses/${den.id}/settings/members`, { as: ann })
  await expectPages(page, '.rows > li', 100, 132)
  await page.getByLabel('Find members').fill('bob')
  await expectPages(page, '.rows > li', 1)
  await db
    .insertInto('bans')
    .values(many.map((user_id) => ({ house_id, user_id, created_by: ann.id })))
    .execute()
  await page.getByRole('link', { name: 'Bans', exact: true }).click()
  await expectPages(page, '.rows > li', 100, 130)
  await expectAccessible(page)
  await page
    .getByRole('button', { name: /^Lift ban: / })
    .last()
    .click()
  await expect.poll(() => page.locator('.rows > li').count()).toBe(129)
})

test('shows all sessions and mentions, page by page', async () => {
  const { ann, bob, den } = await twoInHouse()
  const sessions = Array.from({ length: 120 }, () => ({
    id: newId(),
    user_id: ann.id,
    token_hash: hashToken(newToken()),
  }))
  await db.insertInto('sessions').values(sessions).execute()
  const page = await openPage('/app/settings/sessions', { as: ann })
  await expectPages(page, '.rows > li', 100, 121)
  for (let count = 0; count < 60; count += 1) await message(den.room_id, bob, { mentions: [ann] })
  await page.goto(new URL('/app/mentions', page.url()).href)
  await expectPages(page, '.hits > li', 50, 60)
})

test('shows the private rooms that a login leaves out', async () => {
  const ann = await user({ name: 'Ann' })
  const bob = await user({ name: 'Bob' })
  await groups(ann, [bob.id], 1_010)
  const page = await openPage('/app/private', { as: ann })
  // Not by their role: the names of so many would have to be computed, each time.
  const rooms = page.locator('.rooms-list a[href^="/app/private/"]')
  await expect.poll(() => rooms.count(), patience).toBe(1_000)
  const more = page.getByRole('button', { name: 'More' })
  await more.click()
  await expect.poll(() => rooms.count(), patience).toBe(1_010)
  await more.click()
  await more.waitFor({ state: 'detached' })
})

test('a private room that a login leaves out opens by its address', async () => {
  const ann = await user({ name: 'Ann' })
  const bob = await user({ name: 'Bob' })
  const [oldest = ''] = await groups(ann, [bob.id], 1)
  await message(oldest, bob, { content: 'long ago' })
  await groups(ann, [bob.id], 1_000)
  const page = await openPage(`/app/private/${oldest}`, { as: ann })
  await page.getByRole('article').filter({ hasText: 'long ago' }).waitFor()
  await page.getByRole('textbox', { name: 'Message Bob' }).waitFor()
})
