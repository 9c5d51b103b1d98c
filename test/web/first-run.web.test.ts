import { test } from 'vitest'
import { call, house, user } from '../support/world.ts'
import { messageOf, openPage, twoInHouse } from './support.ts'

test('one can write at once in a house that one has created, though its room comes before the answer', async () => {
  const page = await openPage('/', { as: await user({ name: 'Ann' }) })
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  await page.route('**/v1/houses', async (route) => {
    const response = await route.fetch()
    await composer.waitFor()
    await route.fulfill({ response })
  })
  await page.getByRole('main').getByRole('button', { name: 'Create a house' }).click()
  await page.getByLabel('House name').fill('The Den')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await composer.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  await messageOf(page, 'hello').waitFor()
})

test('the same in a house that one has joined by an invite', async () => {
  const { ann, den } = await twoInHouse()
  const { code } = (await call(ann, 'POST', `/houses/${den.id}/invites`, {})).body.data
  const eve = await user({ name: 'Eve' })
  await house({ owner: eve })
  const page = await openPage('/app/friends', { as: eve })
  await page.getByRole('button', { name: 'Create or join a house' }).click()
  await page.getByRole('button', { name: 'Join a house', exact: true }).click()
  await page.getByLabel('Invite link or code').fill(code)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  const composer = page.getByRole('textbox', { name: 'Message general', exact: true })
  await composer.and(page.locator(':focus')).waitFor()
})
