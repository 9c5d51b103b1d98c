import { expect, test } from 'vitest'
import { call, house, user } from '../support/world.ts'
import { messageOf, openPage, twoInHouse, write } from './support.ts'

test('two people create accounts, a house and an invite, and chat', async () => {
  const ann = await openPage('/')
  await ann.getByRole('link', { name: 'Create an account' }).click()
  await ann.getByLabel('E-mail').fill('ann@example.org')
  await ann.getByLabel('Username').fill('ann')
  await ann.getByLabel('Password').fill('correct horse')
  await ann.getByRole('button', { name: 'Create account' }).click()
  await ann.getByRole('main').getByRole('button', { name: 'Create a house' }).click()
  await ann.getByLabel('House name').fill('The Den')
  await ann.getByRole('button', { name: 'Create', exact: true }).click()
  await write(ann, 'hello')
  await messageOf(ann, 'hello').waitFor()

  await ann.getByRole('button', { name: 'The Den: menu' }).click()
  await ann.getByRole('button', { name: 'Invite people' }).click()
  const link = ann.getByRole('textbox', { name: 'Invite link' })
  await expect.poll(() => link.inputValue()).toContain('/app/invite/')

  const bob = await openPage(await link.inputValue())
  await bob.getByRole('heading', { name: 'You are invited to The Den' }).waitFor()
  await bob.getByText('1 member').waitFor()
  await bob.getByRole('link', { name: 'Create an account' }).click()
  await bob.getByLabel('E-mail').fill('bob@example.org')
  await bob.getByLabel('Username').fill('bob')
  await bob.getByLabel('Password').fill('battery staple')
  await bob.getByRole('button', { name: 'Create account' }).click()
  await messageOf(bob, 'hello').waitFor()
  await write(bob, 'hi Ann')

  await ann.keyboard.press('Escape')
  await messageOf(ann, 'hi Ann').waitFor()
  await bob.reload()
  await messageOf(bob, 'hi Ann').waitFor()
  expect(await messageOf(bob, 'hi Ann').count()).toBe(1)
})

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
