import { expect, test } from 'vitest'
import { call } from '../support/world.ts'
import { expectAccessible, openPage, twoInHouse } from './support.ts'

test('changes name and description of a house', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await page.getByRole('button', { name: 'Den: menu' }).click()
  await page.getByRole('button', { name: 'House settings' }).click()
  await page.getByLabel('House name').fill('The Burrow')
  await page.getByLabel('Description').fill('Warm and dry.')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'The Burrow: menu' }).waitFor()
  const { data } = (await call(ann, 'GET', `/houses/${den.id}`)).body
  expect(data).toMatchObject({ name: 'The Burrow', description: 'Warm and dry.' })
  await expectAccessible(page)

  const other = await openPage(path, { as: bob })
  await other.getByRole('button', { name: 'The Burrow: menu' }).click()
  expect(await other.getByRole('button', { name: 'House settings' }).count()).toBe(0)
  await other.goto(new URL(`/app/houses/${den.id}/settings/overview`, other.url()).href)
  await other.getByText('There is nothing that you may change in this house.').waitFor()
})

test('creates rooms and categories, and deletes them', async () => {
  const { ann, den } = await twoInHouse()
  const page = await openPage(`/app/houses/${den.id}/settings/rooms`, { as: ann })
  const create = async (button: string, field: string, name: string) => {
    await page.getByRole('main').getByRole('button', { name: button }).click()
    await page.getByRole('dialog').getByLabel(field).fill(name)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('button', { name: `Edit: ${name}` }).waitFor()
  }
  const rows = () => page.getByRole('main').locator('h2, .movable .cut').allInnerTexts()
  await create('Create a category', 'Category name', 'Garden')
  await create('Create a room', 'Room name', 'news')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Edit: news' }).click()
  await page.getByRole('dialog').getByLabel('Category').selectOption('Garden')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect.poll(rows).toEqual(['Rooms', '# general', 'Garden', '# news'])
  await page.getByRole('button', { name: 'Delete: news' }).click()
  await page.getByRole('button', { name: 'Delete room' }).click()
  await expect.poll(async () => (await rows()).includes('# news')).toBe(false)
  await page.getByRole('button', { name: 'Delete: Garden' }).click()
  await page.getByRole('button', { name: 'Delete category' }).click()
  await expect.poll(async () => (await rows()).includes('Garden')).toBe(false)
})
