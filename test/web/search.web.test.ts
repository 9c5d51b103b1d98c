import { expect, test } from 'vitest'
import { newId } from '../../src/ids.ts'
import { message } from '../support/world.ts'
import { messageOf, openPage, twoInHouse } from './support.ts'

test('continues a search that ended before all messages were searched', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await message(den.room_id, bob, { content: 'a needle below the hay' })
  const page = await openPage(path, { as: ann })
  // As of a search that has much to do and finds nothing at first.
  const link = `<?q=needle&before=${newId()}>; rel="next"`
  await page.route(
    /search\?/,
    (route) => route.fulfill({ json: { success: true, data: [] }, headers: { link } }),
    { times: 1 },
  )
  await messageOf(page, 'a needle below the hay').waitFor()
  await page.getByRole('button', { name: 'Search' }).click()
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const field = dialog.getByRole('searchbox', { name: 'Search' })
  await field.fill('needle')
  await field.press('Enter')
  await dialog.getByText('Nothing found yet. Older messages have not been searched.').waitFor()
  await dialog.getByRole('button', { name: 'More' }).click()
  await dialog.getByRole('list', { name: 'Hits' }).getByText('a needle below the hay').waitFor()
  expect(await dialog.getByRole('button', { name: 'More' }).count()).toBe(0)
})

test('comes back to the hits from one of them, and offers more only where there are', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  for (let count = 0; count < 25; count += 1) await message(den.room_id, bob, { content: `hay ${count}.` })
  const page = await openPage(path, { as: ann })
  await messageOf(page, 'hay 24.').waitFor()
  const search = page.getByRole('button', { name: 'Search' })
  await search.click()
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const field = dialog.getByRole('searchbox', { name: 'Search' })
  const hits = dialog.getByRole('list', { name: 'Hits' }).getByRole('listitem')
  await dialog.getByLabel('Where').selectOption({ label: 'Search in Den' })
  await field.fill('hay')
  await field.press('Enter')
  await expect.poll(() => hits.count()).toBe(25)
  expect(await dialog.getByRole('button', { name: 'More' }).count()).toBe(0)
  await hits.first().getByRole('link').click()
  await dialog.waitFor({ state: 'detached' })
  await search.click()
  expect(await field.inputValue()).toBe('hay')
  expect(await dialog.getByLabel('Where').inputValue()).toBe('house')
  expect(await hits.count()).toBe(25)

  await message(den.room_id, bob, { content: 'hay 25.' })
  await field.press('Enter')
  await dialog.getByRole('button', { name: 'More' }).click()
  await expect.poll(() => hits.count()).toBe(26)
  expect(await dialog.getByRole('button', { name: 'More' }).count()).toBe(0)
})
