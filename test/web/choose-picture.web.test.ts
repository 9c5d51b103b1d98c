import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { call, user } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

/** Chooses a file at a field that a button hides. */
async function choose(field: Locator, background: string): Promise<void> {
  const picture = sharp({ create: { width: 64, height: 64, channels: 3, background } })
  const buffer = await picture.png().toBuffer()
  await field.setInputFiles({ name: 'picture.png', mimeType: 'image/png', buffer })
}

async function confirm(page: Page, action: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: action }).click()
}

/** Until a picture of the server is there, and drawn. */
async function drawn(picture: Locator): Promise<void> {
  await expect.poll(() => picture.evaluate((each) => Reflect.get(each, 'naturalWidth'))).toBeGreaterThan(0)
}

test('takes, shows and removes one’s own picture and header', async () => {
  const ann = await user({ name: 'Ann' })
  const page = await openPage('/app/settings/profile', { as: ann, mayFail: /status of 400/ })
  const [picture, header] = ['Choose a picture', 'Choose a header'].map((label) =>
    page.locator(`input[aria-label="${label}"]`),
  ) as [Locator, Locator]
  await choose(picture, 'teal')
  await drawn(page.getByRole('main').locator('img.picture-of-users'))
  await drawn(page.locator('.rail-end img'))
  await choose(header, 'olive')
  await drawn(page.locator('img.header-picture'))
  const { data } = (await call(ann, 'GET', '/users/@me')).body
  expect(data).toMatchObject({ icon: expect.any(String), header: expect.any(String) })
  await expectAccessible(page)

  const buffer = Buffer.from('no picture')
  await header.setInputFiles({ name: 'header.png', mimeType: 'image/png', buffer })
  await page.getByRole('alert').getByText('This is not a picture that can be used.').waitFor()
  await page.getByRole('button', { name: 'Remove the header' }).click()
  await confirm(page, 'Remove the header')
  await page.locator('img.header-picture').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await confirm(page, 'Remove the picture')
  await page.locator('.rail-end img').waitFor({ state: 'detached' })
  expect((await call(ann, 'GET', '/users/@me')).body.data).toMatchObject({ icon: null, header: null })
})

test('takes an icon for a house, which others see, and removes it', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(`/app/houses/${den.id}/settings/overview`, { as: ann })
  const other = await openPage(path, { as: bob })
  await choose(page.locator('input[aria-label="Choose a picture"]'), 'navy')
  await drawn(other.getByRole('navigation', { name: 'Houses' }).locator('img'))
  await drawn(page.getByRole('main').locator('img'))
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await confirm(page, 'Remove the picture')
  await page.getByRole('main').locator('img').waitFor({ state: 'detached' })
  await other.getByRole('navigation', { name: 'Houses' }).locator('img').waitFor({ state: 'detached' })
})
